/** Every sentence of the tab. */
export { ar } from '../../../adapters/ui/strings/ar.ts'
export { en } from '../../../adapters/ui/strings/en.ts'
