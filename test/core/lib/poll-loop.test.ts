import { expect, test } from 'vitest'
import { PollLoop } from '../../../src/lib/poll-loop.ts'

test('rounds that leave something to do have turns of the event loop in between', async () => {
  let turn = 0
  const turnsAt: number[] = []
  const loop = new PollLoop({
    pollMs: 60_000,
    onError: () => {},
    round: async () => {
      turnsAt.push(turn)
      setTimeout(() => {
        turn += 1
      }, 0)
      if (turnsAt.length === 3) loop.stop()
      return true
    },
  })
  await loop.run()
  expect(turnsAt).toEqual([0, 1, 2])
})
