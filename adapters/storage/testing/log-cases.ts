import type { ChangeLog, LoggedChange, WorkspaceWrite } from '../../../src/storage/index.ts'
import { eachRow, NOTHING, type Table, type Trial } from './contract-case.ts'
import { sampleRecord, sampleRevocation, sampleRotation, sampleUpdate } from './samples.ts'
import { check, checkEqual } from './tools.ts'

const NODE = { node: 'a', leaseMs: 1_000 }

/** Every change of a key is in the log, once and in order. */
const CASES: Table<(t: Trial, log: ChangeLog) => Promise<void>> = {
  'nothing is logged before a node has registered': async (t, log) => {
    checkEqual(await isLogged(t, sampleRevocation(await t.inserted())), false, 'isLogged')
    await log.register(NODE)
    checkEqual(hashesOf((await renewed(log)).changes), [], 'the entries')
  },

  'changes are listed in order, and there is something to wait for': async (t, log) => {
    const [one, two, three] = await t.insertedTogether(3)
    if (!one || !two || !three) return
    await log.register(NODE)
    const rotation = sampleRotation(three, sampleRecord(), 9_000)
    for (const step of [sampleUpdate(one), sampleRevocation(two), rotation, NOTHING]) {
      checkEqual(await isLogged(t, step), true, 'isLogged')
    }
    await t.refused(sampleUpdate(one))
    const changed = [one, two, three].map(({ record }) => record.hash)
    const listed = hashesOf((await renewed(log)).changes)
    const known = listed.filter((hash) => changed.includes(hash))
    checkEqual(known, changed, 'the keys in the log')
  },

  'the steps of many writers have entries without gaps': async (t, log) => {
    const keys = await t.insertedMany(20, (at) => ({ workspaceId: `ws_${at % 7}` }))
    await log.register(NODE)
    const steps = keys.map((key) => sampleRevocation(key))
    await Promise.all(steps.map((step, at) => (at % 2 ? t : t.other).put(step)))
    const { changes, head } = await renewed(log)
    const sequences = changes?.map(({ sequence }) => sequence)
    checkEqual([sequences, head], [steps.map((_, at) => at + 1), 20], 'the entries and the head')
  },

  'a change beside a registration is listed, or had nothing to wait for': async (t, log) => {
    const keys = await t.insertedTogether(24)
    let isRegistered = false
    const listedThen = await Promise.all(
      keys.map(async (key, at) => {
        if (at === 8) {
          await log.register(NODE)
          isRegistered = true
        }
        const isLate = isRegistered
        const isWaitedFor = await isLogged(at % 2 ? t : t.other, sampleUpdate(key))
        check(isWaitedFor || !isLate, 'a change after the registration is waited for')
        return isWaitedFor ? [key.record.hash] : []
      }),
    )
    const { changes } = await renewed(log)
    // The log begins later: the node forgets everything.
    if (changes === null) return
    const listed = hashesOf(changes)
    checkEqual(new Set(listed).size, listed.length, 'entries, each once')
    const missing = listedThen.flat().filter((hash) => !listed.includes(hash))
    checkEqual(missing, [], 'what is missing')
  },

  'nodes lag until they have applied the changes': async (t, log) => {
    const key = await t.inserted()
    await log.register(NODE)
    await t.put(sampleRevocation(key))
    const nodes = [{ ...NODE, renewal: 0 }]
    checkEqual(await log.laggingNodes(null), { head: 1, nodes }, 'the lag')
    await renewed(log)
    await log.renew({ node: 'a', renewal: 2, answered: 1, applied: 1 })
    checkEqual(await log.laggingNodes(null), { head: 1, nodes: [] }, 'the lag afterwards')
    await log.changePlan('ws_1')
    checkEqual((await log.laggingNodes(null)).head, 2, 'the head after a plan')
    checkEqual((await log.laggingNodes(1)).nodes, [], 'the nodes behind the first entry')
  },

  'changes by hand and deletions are listed': async (t, log) => {
    const keys = (await t.insertedTogether(3, () => ({ expiresAtMs: 5 }))).map((key) => key.record)
    await log.register(NODE)
    const { revoke, narrow, remove, age, isLogged: isListed = true } = t.byHand
    const changes = isListed ? [revoke && ((id: string) => revoke(id, 5)), narrow, remove] : []
    for (const [at, { id }] of keys.entries()) await changes[at]?.(id)
    const changed = keys.filter((_, at) => changes[at] !== undefined).map(({ hash }) => hash)
    checkEqual(hashesOf((await renewed(log)).changes), changed, 'what was changed by hand')
    if (age === undefined) return
    const { hash } = (await t.inserted({ expiresAtMs: 5, workspaceId: 'ws_other' })).record
    await age(2 * 3_600_000)
    const query = { endedBeforeMs: 9, eventsBeforeMs: null, limit: 10 }
    checkEqual((await t.storage.purge(query)).isLogged, true, 'isLogged of the purge')
    const listed = hashesOf((await renewed(log)).changes)
    check(listed.includes(hash), 'a purged key that was not revoked is listed')
  },
}

/** A storage without a log has nothing to show. */
export const logCases = eachRow('log', CASES, async (t, check) => {
  const { changes } = t.storage
  if (changes !== undefined) await check(t, changes)
})

async function isLogged(t: Trial, step: WorkspaceWrite) {
  const [answer] = await t.storage.write([step])
  checkEqual(answer?.outcome, 'stored', 'the outcome of the step')
  return answer?.isLogged ?? false
}

/** All entries of the log. */
async function renewed(log: ChangeLog) {
  const renewal = await log.renew({ node: 'a', renewal: 1, answered: 0, applied: 0 })
  check(renewal.outcome === 'renewed', 'the node is renewed')
  return renewal
}

/** The hashes of the keys in the log. */
function hashesOf(changes: readonly LoggedChange[] | null): readonly string[] {
  return (changes ?? []).flatMap((change) => (change.kind === 'key' ? change.hash : []))
}
