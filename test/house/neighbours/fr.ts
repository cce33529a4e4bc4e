export { fr } from '../../../examples/settings-tab-french/fr.ts'
