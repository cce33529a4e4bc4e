import { sampleRevokeChange } from '../../../adapters/storage/testing/storage-contract.ts'
import { playScenario, type Report, type Stage, stateOf } from './scenario.ts'

/** How many texts of a key each process uses at once. */
const TEXTS = 5

/** Processes use different texts of one old key at once, before and after it is revoked. */
export function adoptRace(
  modulePath: string,
  { workers = 4, rounds = 50 }: { workers?: number; rounds?: number },
): Promise<Report> {
  return playScenario({ scenario: 'adopt race', modulePath, workers }, async (stage) => {
    for (let round = 1; round <= rounds; round += 1) await playRound(stage, round)
    return { rounds, workers, texts: rounds * workers * TEXTS * 2 }
  })
}

async function playRound(stage: Stage, round: number): Promise<void> {
  const workspaceId = `ws_adopt_${round}`
  stage.expectEqual(await verdictsOn(stage, workspaceId, 'a'), ['ok'], `round ${round}: verdicts`)
  const { records } = await stateOf(stage.storage, workspaceId)
  stage.expectEqual(records.length, 1, `round ${round}: keys`)
  for (const record of records) await stage.storage.revoke(sampleRevokeChange(record))
  const verdicts = await verdictsOn(stage, workspaceId, 'b')
  stage.expectEqual(verdicts, ['revoked'], `round ${round}: verdicts after the revocation`)
  const after = await stateOf(stage.storage, workspaceId)
  stage.expectEqual(after.records.length, 1, `round ${round}: keys after the revocation`)
  const types = after.events.map(({ type }) => type)
  stage.expectEqual(types, ['api_key.imported', 'api_key.revoked'], `round ${round}: events`)
}

/** The different verdicts of all processes. */
async function verdictsOn({ workers }: Stage, workspaceId: string, mark: string) {
  const verdicts = await Promise.all(
    workers.map((worker, index) => {
      const endings = Array.from({ length: TEXTS }, (_, at) => `${mark}${index}${at}`)
      return worker.call('adopt', { workspaceId, endings })
    }),
  )
  return [...new Set(verdicts.flat())]
}
