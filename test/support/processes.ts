import { expect, test, vi } from 'vitest'
import { SCENARIOS } from '../programs/reliability/scenarios.ts'

// Processes start slowly on a busy machine.
const PATIENCE = { testTimeout: 600_000 }

const FIRST = ['revoke', 'limit', 'rotate', 'kill']
const FEW = { workers: 2, rounds: 4, races: 1, kills: 2, ms: 1_000, lanes: 2 }

/** The races of `npm test`, which show that processes on this storage wait for each other at all. */
export function testFirstRaces(module: string): void {
  vi.setConfig(PATIENCE)

  test.each(FIRST)('processes at once: %s', async (name) => {
    expect((await SCENARIOS[name]?.play(module, FEW))?.failures).toEqual([])
  })
}

/** Every scenario in short, but for those that this storage cannot hold. */
export function testScenarios(module: string, except: readonly string[] = []): void {
  vi.setConfig(PATIENCE)

  const scenarios = Object.entries(SCENARIOS).filter(([name]) => !except.includes(name))
  test.each(scenarios.map(([, scenario]) => scenario))('$title', async (scenario) => {
    const { failures, figures } = await scenario.test(module)
    expect(failures).toEqual([])
    const [figure, above] = scenario.seen ?? ['', 0]
    if (figure !== '') expect(figures[figure]).toBeGreaterThan(above)
  })
}
