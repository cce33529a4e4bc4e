import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { play, SCENARIOS, type ScenarioName } from '../programs/reliability/scenarios.ts'
import { runs } from './runs.ts'

type Storage = 'broken' | 'mysql' | 'postgres' | 'sqlite'
type Amounts = NonNullable<Parameters<typeof play>[2]>

/** Plays a scenario on a storage, in processes that start slowly on a busy machine. */
export function playOn(storage: Storage, name: ScenarioName, amounts: Amounts) {
  vi.setConfig({ testTimeout: 600_000 })
  const module = `../programs/reliability/${storage}-module.ts`
  return play(name, fileURLToPath(new URL(module, import.meta.url)), amounts)
}

/** The races of `npm test`, which show that processes on this storage wait for each other at all. */
export function testFirstRaces(storage: Storage): void {
  test.each(['revoke', 'limit', 'rotate', 'kill'] as const)('processes: %s', async (name) => {
    const { failures } = await playOn(storage, name, { workers: 2, rounds: 3 })
    expect(failures).toEqual([])
  })
}

/** Every scenario in short, but for those that this storage cannot hold. */
export function testScenarios(storage: Storage, except: readonly ScenarioName[] = []): void {
  const names = (Object.keys(SCENARIOS) as ScenarioName[]).filter((name) => !except.includes(name))
  test.each(names.map((name) => [SCENARIOS[name].title, name] as const))('%s', async (_, name) => {
    const rounds = runs(SCENARIOS[name].rounds[0])
    expect((await playOn(storage, name, { rounds })).failures).toEqual([])
  })
}
