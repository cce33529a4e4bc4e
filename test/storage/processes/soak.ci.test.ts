import { expect, test } from 'vitest'
import { soak } from '../../programs/soak/soak.ts'
import { isLong } from '../../support/runs.ts'

test('mixed load, restarts and kills leave what the oracle knows', async () => {
  const { figures, failures } = await soak(isLong ? 60_000 : 6_000)
  expect(failures).toEqual([])
  expect(figures['restarts']).toBeGreaterThan(0)
  expect(figures['kills']).toBeGreaterThan(0)
  expect(figures['changes']).toBeGreaterThan(5)
  expect(figures['undelivered']).toBe(0)
}, 600_000)
