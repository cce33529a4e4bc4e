import { expect, test, vi } from 'vitest'
import { KINDS, strictRounds } from '../../programs/reliability/strict/scenario.ts'

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 600_000 })

test('once a revocation has resolved, no process accepts the key, whatever goes wrong', async () => {
  const { staleAccepts, checks } = await strictRounds({ rounds: KINDS.length })
  expect(staleAccepts).toEqual({})
  // Of 4 processes one is killed; one more is deaf.
  expect(checks).toBe(4 * KINDS.length)
})
