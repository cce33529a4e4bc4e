import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { FaultName } from '../../programs/reliability/broken-module.ts'
import { SCENARIOS } from '../../programs/reliability/scenarios.ts'
import { strictRounds } from '../../programs/reliability/strict/scenario.ts'

// Scenarios that never fail would prove nothing: on a broken storage they must.
const MODULE = fileURLToPath(
  new URL('../../programs/reliability/broken-module.ts', import.meta.url),
)
const FEW = { workers: 2, rounds: 12, races: 3, kills: 4, ms: 4_000, lanes: 4 }

test.each<readonly [scenario: string, FaultName, told: string]>([
  ['revoke', 'cached lookups', 'accepted after it was stopped'],
  ['pause', 'cached lookups', 'accepted after it was stopped'],
  ['narrow', 'cached lookups', 'accepted after it was stopped'],
  ['revoke', 'uses twice', 'the uses'],
  ['open', 'lost events', 'keys and events'],
  ['limit', 'no bound', 'answered, keys, events'],
  ['rotate', 'lost events', 'winners, keys, successors, events'],
  ['mixed', 'lost events', 'the events'],
  ['update-update', 'no edition', 'updates of one version won'],
  ['update-rotate', 'lost events', 'the events'],
  ['update-addUses', 'uses twice', 'the uses'],
  ['expiry-none', 'no count', 'keys are active'],
  ['chains', 'hidden replacements', 'keys that live on'],
  ['relay', 'events backwards', 'what was delivered'],
  ['usage', 'uses twice', 'flushed'],
  ['erase', 'never closed', 'a new key'],
])('%s catches %s', async (scenario, fault, told) => {
  process.env['MIFTAH_TEST_FAULT'] = fault
  onTestFinished(() => void delete process.env['MIFTAH_TEST_FAULT'])
  const report = await SCENARIOS[scenario]?.play(MODULE, FEW)
  expect(report?.failures.join('\n')).toContain(told)
})

test('the strict rounds catch a naive cache', async () => {
  const { staleAccepts } = await strictRounds({ rounds: 2, kinds: ['hints lost'], isNaive: true })
  expect(staleAccepts['hints lost']).toBeGreaterThan(0)
})
