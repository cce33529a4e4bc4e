export { count, flag, OptionChecks } from '../../../src/lib/option-checks.ts'
