import type { Context } from '../context.ts'
import { parseInput } from '../keys/input/parse.ts'
import { makeOne, waitForWorkspace } from '../keys/make-change.ts'
import { pagesOf } from '../keys/read-page.ts'
import { nextTurn, type StorageCall } from '../lib/within-time.ts'
import type { Person } from '../model/key.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { isReservedId } from '../model/name.ts'
import { ERASED_PERSON } from '../model/own-actors.ts'
import { keysAnswer, progressAnswer } from '../storage/answers.ts'
import type { Progress } from '../storage/contract.ts'

export async function erasePerson<S extends string>(
  context: Context<S>,
  input: unknown,
): Promise<ErasedCounts> {
  const { personId } = parseInput(context.schemas.erasePerson, input)
  // Nobody is behind these ids.
  if (isReservedId(personId)) return Object.freeze({ keys: 0, events: 0 })
  const keys = await renameInKeys(context, personId)
  const { storage } = context.settings
  const query = { personId, limit: BATCH }
  const { events, isLogged } = await inSteps(context, 'renameActor', (call) =>
    storage.renameActor(query, call),
  )
  await context.caches.waitForAll(isLogged)
  return Object.freeze({ keys, events })
}

async function renameInKeys<S extends string>(context: Context<S>, personId: string) {
  const { calls, settings } = context
  const query = { personId, limit: BATCH }
  for (let renamed = 0; ; ) {
    const keys = await calls.run(
      'keysOfPerson',
      (call) => settings.storage.keysOfPerson(query, call),
      (answer) => keysAnswer(answer, BATCH),
    )
    if (keys.length === 0) return renamed
    const records = keys.map(({ record }) => record)
    await changeEach(context, 'erasePerson', records, (record) => renamedIn(record, personId))
    renamed += keys.length
    await nextTurn()
  }
}

function renamedIn(record: KeyRecord, personId: string): KeyRecord | null {
  const { creator, pausedBy, version } = record
  if (creator.id !== personId && pausedBy?.id !== personId) return null
  const renamed = (person: Person) => (person.id === personId ? ERASED_PERSON : person)
  return {
    ...record,
    creator: renamed(creator),
    pausedBy: pausedBy && renamed(pausedBy),
    version: version + 1,
  }
}

export async function eraseWorkspace<S extends string>(
  context: Context<S>,
  input: unknown,
): Promise<ErasedCounts> {
  const { workspaceId } = parseInput(context.schemas.eraseWorkspace, input)
  const { calls, settings } = context
  const { storage } = settings
  await calls.run(
    'closeWorkspace',
    (call) => storage.closeWorkspace(workspaceId, call),
    () => {},
  )
  await revokeAll(context, workspaceId)
  await waitForWorkspace(context, { operation: 'eraseWorkspace', workspaceId })
  const deletion = { workspaceId, limit: BATCH }
  const { keys, events } = await inSteps(context, 'deleteWorkspace', (call) =>
    storage.deleteWorkspace(deletion, call),
  )
  return Object.freeze({ keys, events })
}

/** Revokes what is not revoked, without events. */
async function revokeAll<S extends string>(context: Context<S>, workspaceId: string) {
  const atMs = context.calls.clockMs()
  const filters = { status: null, environment: null, atMs }
  for await (const { keys } of pagesOf(context, workspaceId, filters)) {
    const living = keys.map(({ record }) => record).filter(isNotRevoked)
    await changeEach(context, 'eraseWorkspace', living, (record) =>
      isNotRevoked(record) ? revoked(record, atMs) : null,
    )
  }
}

function isNotRevoked({ revokedAtMs }: KeyRecord): boolean {
  return revokedAtMs === null
}

function revoked(record: KeyRecord, atMs: number): KeyRecord {
  const revokedAtMs = Math.min(atMs, record.retiresAtMs ?? Infinity)
  return { ...record, revokedAtMs, noticeAtMs: null, version: record.version + 1 }
}

/** Changes keys without events; `change` answers `null` for one that stays. */
async function changeEach<S extends string>(
  context: Context<S>,
  operation: string,
  records: readonly KeyRecord[],
  change: (record: KeyRecord) => KeyRecord | null,
): Promise<void> {
  const changes = records.map(({ workspaceId, id }) =>
    makeOne(context, {
      ...{ operation, workspaceId, ids: [id] },
      decide: (workspace) => {
        const found = workspace.key(id)
        const after = found === undefined ? null : change(found.record)
        return { answer: null, step: after && { keys: [after], events: [] } }
      },
    }),
  )
  await Promise.all(changes)
}

/** How many keys and how many events one step takes: about 20 ms in SQLite, which blocks the process. */
export const BATCH = 200

/** What was erased or deleted. @inline */
export type ErasedCounts = {
  /** How many keys. */
  readonly keys: number
  /** How many audit events. */
  readonly events: number
}

/**
 * Repeats a step of the storage until nothing is left. Each step commits on its own, so a call after a crash
 * continues where the last one stopped.
 */
export async function inSteps<S extends string>(
  { calls }: Context<S>,
  operation: 'renameActor' | 'deleteWorkspace' | 'purge',
  step: (call: StorageCall) => Promise<Progress>,
): Promise<ErasedCounts & { readonly isLogged: boolean }> {
  let [keys, events] = [0, 0]
  for (;;) {
    const outcome = await calls.run(operation, step, progressAnswer)
    keys += outcome.keys
    events += outcome.events
    if (!outcome.more) return { keys, events, isLogged: outcome.isLogged === true }
    // A storage that answers synchronously would block the process until the last step.
    await nextTurn()
  }
}

/** What to delete; at least one of the two. @inline */
export interface PurgeInput {
  /**
   * Deletes the keys, with their usage, that stopped for good before this instant, which is at least an hour
   * ago. Default: no keys.
   */
  readonly endedBefore?: Date | undefined
  /**
   * Deletes the events from before this instant, which is at least an hour ago, that a relay has delivered.
   * Default: no events.
   */
  readonly eventsBefore?: Date | undefined
}

export async function purge<S extends string>(
  context: Context<S>,
  input: PurgeInput,
): Promise<ErasedCounts> {
  const { endedBefore, eventsBefore } = parseInput(context.schemas.purge, input)
  const endedBeforeMs = endedBefore?.getTime() ?? null
  const eventsBeforeMs = eventsBefore?.getTime() ?? null
  const { storage } = context.settings
  const query = { endedBeforeMs, eventsBeforeMs, limit: BATCH }
  const { keys, events, isLogged } = await inSteps(context, 'purge', (call) =>
    storage.purge(query, call),
  )
  await context.caches.waitForAll(isLogged)
  return Object.freeze({ keys, events })
}
