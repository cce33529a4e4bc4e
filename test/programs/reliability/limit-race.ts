import { playScenario, type Report, stateOf } from './scenario.ts'

const LIMIT = 5

/** Many inserts from several processes, round after round: exactly the limit is reached. */
export function limitRace(
  modulePath: string,
  { workers = 4, rounds = 1, inserts = 200 } = {},
): Promise<Report> {
  return playScenario({ scenario: 'limit race', modulePath, workers }, async (stage) => {
    for (let round = 0; round < rounds; round += 1) {
      const workspaceId = `ws_limit_${round}`
      const order = { workspaceId, limit: LIMIT, count: Math.ceil(inserts / workers) }
      const stored = await Promise.all(stage.workers.map((w) => w.call('insertMany', order)))
      const told = stored.reduce((sum, count) => sum + count, 0)
      const { records, events } = await stateOf(stage.storage, workspaceId)
      const found = [told, records.length, events.length]
      stage.expectEqual(found, [LIMIT, LIMIT, LIMIT], `round ${round}: told, keys, events`)
    }
    return { rounds, inserts: rounds * inserts, workers }
  })
}
