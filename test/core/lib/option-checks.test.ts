import { expect, test } from 'vitest'
import { OptionChecks } from '../../../src/lib/option-checks.ts'

const checks = new OptionChecks('serve')

test('an option that is checked by itself is named too', () => {
  checks.optionalFunction('onError', undefined)
  checks.delay('pauseMs', 5, 1, 9)
  expect(() => checks.optionalFunction('onError', null)).toThrow(
    new TypeError('serve: option "onError" must be a function.'),
  )
  expect(() => checks.delay('pauseMs', 10, 1, 9)).toThrow(
    new TypeError('serve: option "pauseMs" must be 1 to 9 milliseconds.'),
  )
})
