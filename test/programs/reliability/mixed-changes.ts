import { setImmediate as nextTurn } from 'node:timers/promises'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import type { HeldKey, KeyPage } from '../../../src/storage/index.ts'
import { playScenario, type Report, type Stage, stateOf } from './scenario.ts'

const WORKSPACE = 'ws_mixed_max5'
const BYSTANDER = 'ws_bystander'
const LIMIT = 5

/**
 * Several processes create, rotate, revoke and use keys of one workspace at random, while this
 * process reads without pause and checks what must hold at every instant.
 */
export function mixedChanges(
  modulePath: string,
  { workers = 3, ms = 3_000 } = {},
): Promise<Report> {
  return playScenario({ scenario: 'mixed changes', modulePath, workers }, async (stage) => {
    await populateBystander(stage)
    const bystander = await stateOf(stage.storage, BYSTANDER)
    const order = { workspaceId: WORKSPACE, ms }
    let working = true
    const work = Promise.all(stage.workers.map((w) => w.call('mix', order))).finally(() => {
      working = false
    })
    // Waited for below, when the reading at hand is done.
    work.catch(() => undefined)
    const seen = new Map<string, HeldKey>()
    let readings = 0
    while (working) {
      readings += 1
      await checkReading(stage, seen)
      // A storage may answer within the turn; the workers' news need one of their own.
      await nextTurn()
      if (readings % 50 !== 0) continue
      stage.expectEqual(await stateOf(stage.storage, BYSTANDER), bystander, 'the bystander')
    }
    const changes = (await work).reduce((before, count) => before + count, 0)
    stage.expectEqual(await stateOf(stage.storage, BYSTANDER), bystander, 'the bystander')
    const keys = await checkHistory(stage)
    return { workers, changes, readings, keys }
  })
}

async function populateBystander({ storage }: Stage): Promise<void> {
  for (let count = 0; count < 10; count += 1) {
    const record = sampleRecord({ workspaceId: BYSTANDER })
    await storage.write([sampleInsertion(record)])
  }
}

async function checkReading(stage: Stage, seen: Map<string, HeldKey>): Promise<void> {
  const query = { status: null, environment: null, atMs: Date.now(), after: null, limit: 60 }
  const page = await stage.storage.list(WORKSPACE, { ...query, countUpTo: 1_000 })
  checkPage(stage, page)
  for (const key of page.keys) checkAgainstPast(stage, seen.get(key.record.id), key)
  for (const key of page.keys) seen.set(key.record.id, key)
  // Keys that left the page are looked up by hash, as a client with an old secret would.
  const past = [...seen.values()][Math.floor(Math.random() * seen.size)]
  const record = past && (await stage.storage.findByHash(past.record.hash))
  if (record) checkAgainstPast(stage, past, { ...past, record })
}

function checkPage(stage: Stage, { keys, activeKeys, more }: KeyPage): void {
  if (Number(activeKeys) > LIMIT) stage.fail(`${activeKeys} keys were active at once`)
  const records = keys.map(({ record }) => record)
  const active = records.filter(({ revokedAtMs }) => revokedAtMs === null)
  if (!more) stage.expectEqual(active.length, activeKeys, 'active keys on a whole page')
  const byId = new Map(records.map((record) => [record.id, record]))
  for (const { id, replaces, replacedBy, revokedAtMs } of records) {
    if (replacedBy !== null && revokedAtMs === null) stage.fail(`${id} is replaced and alive`)
    const before = replaces === null ? undefined : byId.get(replaces)
    if (before && before.replacedBy !== id) stage.fail(`${before.id} does not name ${id}`)
    const successor = replacedBy === null ? undefined : byId.get(replacedBy)
    if (replacedBy !== null && !successor) stage.fail(`${id} is replaced by nothing`)
  }
  const replaced = records.flatMap(({ replaces }) => replaces ?? [])
  if (new Set(replaced).size < replaced.length) stage.fail('a key has two successors')
}

function checkAgainstPast(stage: Stage, past: HeldKey | undefined, now: HeldKey): void {
  if (!past) return
  const { id, revokedAtMs, replacedBy, version } = now.record
  const { revokedAtMs: dead, replacedBy: link } = past.record
  stage.expectEqual(identityOf(now), identityOf(past), `${id}: what never changes`)
  if (version < past.record.version) stage.fail(`${id}: the version went back`)
  if (dead !== null) stage.expectEqual([revokedAtMs, replacedBy], [dead, link], `${id}: dead`)
  if (now.usage.uses < past.usage.uses) stage.fail(`${id}: uses went back`)
  if (now.edition < past.edition) stage.fail(`${id}: the edition went back`)
}

/** What no change of these processes touches. */
function identityOf({ record, place }: HeldKey) {
  const { revokedAtMs, replacedBy, version, updatedAtMs, ...identity } = record
  return { ...identity, place }
}

/** The log tells the whole story: one event for each change and none besides. */
async function checkHistory(stage: Stage): Promise<number> {
  const { keys, events } = await stateOf(stage.storage, WORKSPACE)
  const told = events.map(({ type, keyId }) => `${type} ${keyId}`).toSorted()
  const happened = keys.flatMap(({ record: { id, replaces, replacedBy, revokedAtMs } }) => {
    const created = replaces === null ? [`api_key.created ${id}`] : []
    if (revokedAtMs === null) return created
    return [...created, `${replacedBy === null ? 'api_key.revoked' : 'api_key.rotated'} ${id}`]
  })
  stage.expectEqual(told, happened.toSorted(), 'the events')
  return keys.length
}
