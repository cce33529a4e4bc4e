import { expect, test } from 'vitest'
import { thisMachine } from '../../../src/cache/lease.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { settled } from '../../support/world.ts'

simulateTime()

test('a timer runs its work, unless it is cancelled', async () => {
  const done: string[] = []
  thisMachine.after(1, () => done.push('kept'))
  const cancel = thisMachine.after(1, () => done.push('cancelled'))
  cancel()
  await settled(50)
  expect(done).toEqual(['kept'])
})

test('random numbers are from 0 to less than 1, and differ', () => {
  const numbers = Array.from({ length: 100 }, () => thisMachine.random())
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
  expect(new Set(numbers).size).toBeGreaterThan(1)
})
