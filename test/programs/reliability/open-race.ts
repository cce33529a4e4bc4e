import { playScenario, type Report, stateOf } from './scenario.ts'

/** Several processes use a new and empty place at the same moment, each for the first time. */
export function openRace(modulePath: string, { workers = 8 } = {}): Promise<Report> {
  return playScenario({ scenario: 'open race', modulePath, workers }, async (stage) => {
    const order = { workspaceId: 'ws_open', count: 1, limit: null }
    const stored = await Promise.all(stage.workers.map((w) => w.call('insertMany', order)))
    stage.expectEqual(
      stored,
      stored.map(() => 1),
      'how many keys each process stored',
    )
    const { records, events } = await stateOf(stage.storage, 'ws_open')
    stage.expectEqual([records.length, events.length], [workers, workers], 'keys and events')
    return { workers }
  })
}
