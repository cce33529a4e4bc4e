import {
  sampleCreatedEvent,
  sampleRecord,
} from '../../../adapters/storage/testing/storage-contract.ts'
import { playScenario, type Report, stateOf } from './scenario.ts'

/** Many rotations of one key from several processes: one successor, one event. */
export function rotateRace(
  modulePath: string,
  { workers = 4, rounds = 1, rotations = 200 } = {},
): Promise<Report> {
  return playScenario({ scenario: 'rotate race', modulePath, workers }, async (stage) => {
    for (let round = 0; round < rounds; round += 1) {
      const workspaceId = `ws_rotate_${round}`
      const record = sampleRecord({ workspaceId })
      await stage.storage.insert(record, 5, sampleCreatedEvent(record))
      const order = { record, count: Math.ceil(rotations / workers) }
      const outcomes = await Promise.all(stage.workers.map((w) => w.call('rotateMany', order)))
      const won = outcomes.flat().filter((outcome) => outcome === 'rotated').length
      const { records, events } = await stateOf(stage.storage, workspaceId)
      const live = records.filter(({ revokedAtMs }) => revokedAtMs === null)
      const found = [won, records.length, live.length, events.length]
      stage.expectEqual(found, [1, 2, 1, 2], `round ${round}: winners, keys, live keys, events`)
      stage.expectEqual(live[0]?.replaces, record.id, `round ${round}: what the live key replaces`)
    }
    return { rounds, rotations: rounds * rotations, workers }
  })
}
