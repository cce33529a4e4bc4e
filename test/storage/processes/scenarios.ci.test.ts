import { expect, onTestFinished, test } from 'vitest'
import type { FaultName } from '../../programs/reliability/broken-module.ts'
import type { ScenarioName } from '../../programs/reliability/scenarios.ts'
import { strictRounds } from '../../programs/reliability/strict/scenario.ts'
import { playOn } from '../../support/processes.ts'

// Scenarios that never fail would prove nothing: on a broken storage they must.
test.each<readonly [ScenarioName, FaultName, message: string]>([
  ['revoke', 'cached lookups', 'accepted after it was stopped'],
  ['revoke', 'uses twice', 'the uses'],
  ['open', 'lost events', 'keys and events'],
  ['limit', 'no bound', 'answered, keys, events'],
  ['rotate', 'lost events', 'keys, successors, events'],
  ['kill', 'lost events', 'the events'],
  ['relay', 'events backwards', 'what was delivered'],
  ['usage', 'uses twice', 'flushed'],
])('%s catches %s', async (scenario, fault, message) => {
  process.env['MIFTAH_TEST_FAULT'] = fault
  onTestFinished(() => void delete process.env['MIFTAH_TEST_FAULT'])
  const { failures } = await playOn('broken', scenario, { rounds: 4 })
  expect(failures.join('\n')).toContain(message)
})

test('the strict rounds catch a naive cache', async () => {
  const { staleAccepts } = await strictRounds({ rounds: 2, kinds: ['hints lost'], isNaive: true })
  expect(staleAccepts['hints lost']).toBeGreaterThan(0)
})
