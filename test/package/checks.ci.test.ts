import { test } from 'vitest'
import { outputOf } from '../support/package/child.ts'
import { ROOT } from '../support/package/npm.ts'

test('publint and arethetypeswrong find nothing in the package', async () => {
  await outputOf(['npm', 'run', '--silent', 'check:package'], ROOT)
})
