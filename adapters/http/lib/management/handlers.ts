import { checkerOf } from '../../../../src/http/index.ts'
import {
  ApiKeyError,
  type ApiKeys,
  type AuditEvent,
  type EventList,
} from '../../../../src/index.ts'
import type { Call } from '../call.ts'
import type { CheckedContext, ManagementOperation, ResourceSource } from './call.ts'
import { versionIn } from './if-match.ts'
import { valuesIn } from './query.ts'
import { invalid, refusal } from './refusal.ts'
import { readResources } from './resources.ts'
import type { Answers } from './wire/answers.ts'
import { toWireEvent } from './wire/events.ts'
import { toWire } from './wire/key.ts'
import type { OPERATIONS } from './wire/operations.ts'
import type { WireResourceQuery } from './wire/requests.ts'

/** What a handler works with. */
interface Work<S extends string> {
  readonly keys: ApiKeys<S>
  readonly call: Call<unknown>
  readonly context: CheckedContext
  /** The id in the path; empty for a path without one. */
  readonly id: string
  /** Reads the body, once. */
  readonly body: () => Promise<unknown>
  /** The entries of the metadata that are shown and taken. */
  readonly metadata: readonly string[]
  readonly sources: ReadonlyMap<string, ResourceSource>
}

type AnswerOf<Name extends ManagementOperation> = Answers[(typeof OPERATIONS)[Name]['answer']]

/** Do what each operation asks for and return the body of its answer. The core checks what queries hold. */
export const HANDLERS: {
  readonly [Name in ManagementOperation]: <S extends string>(
    work: Work<S>,
  ) => Promise<AnswerOf<Name>>
} = {
  async listKeys<S extends string>({ keys, call, context, metadata }: Work<S>) {
    const { resource, ...filters } = valuesIn(call.query, 'ListQuery') as WireFilters<S>
    const { workspaceId, allowedOperations, grant } = context
    const list = await keys.listKeys({
      ...filters,
      ...(resource !== undefined && { resource: resourceIn(resource) }),
      ...ownOnly(context, filters.creatorId),
      ...grant,
      workspaceId,
    })
    const shown = list.keys.map((key) => toWire(key, metadata))
    const { grantable = null } = grant
    return { workspaceId, ...list, keys: shown, allowedOperations, grantable }
  },

  async createKey({ keys, context: { workspaceId, user, grant }, body, metadata }) {
    const given = await body()
    if (given === undefined) throw refusal('bad_request')
    assertShownMetadata(given, metadata)
    const fields = checkerOf(keys).fields(given)
    const made = await keys.createKey({ ...fields, ...grant, workspaceId, creator: user })
    return { key: toWire(made.key, metadata), secret: made.secret }
  },

  async revokeKeys({ keys, context, body, metadata }) {
    const { workspaceId, user: actor } = context
    const filters = checkerOf(keys).revocations(orNoFields(await body()))
    const own = ownOnly(context, filters.creatorId)
    const answer = await keys.revokeKeys({ ...filters, ...own, workspaceId, actor, limit: 200 })
    return { ...answer, keys: answer.keys.map((key) => toWire(key, metadata)) }
  },

  async getKey(work) {
    return { key: toWire(await visibleKey(work), work.metadata) }
  },

  async getKeyUsage(work) {
    await assertVisible(work)
    return usageOf(work, work.id)
  },

  async getKeyEvents(work) {
    await assertVisible(work)
    const { keys, call, context, id, metadata } = work
    const { workspaceId } = context
    const query = valuesIn(call.query, 'EventsQuery') as InputWithin<'listEvents'>
    const { events, nextCursor } = await historyOf(keys, { ...query, workspaceId, keyId: id })
    return { events: events.map((event) => toWireEvent(event, metadata)), nextCursor }
  },

  async updateKey(work) {
    const { keys, call, context, id, body, metadata } = work
    const { workspaceId } = context
    const version = versionIn(call.lines('if-match'))
    const given = await body()
    assertShownMetadata(given, metadata)
    const change = checkerOf(keys).changes(given)
    const action = await actionOf(work)
    if (version === null) {
      throw new ApiKeyError('stale', { key: await keys.getKey({ workspaceId, id }) })
    }
    return { key: toWire(await keys.updateKey({ ...action, version, change }), metadata) }
  },

  pauseKey: (work) => changedBy('pauseKey', work),
  resumeKey: (work) => changedBy('resumeKey', work),

  async rotateKey(work) {
    const { keys, body, metadata } = work
    const rotation = checkerOf(keys).rotation(orNoFields(await body()))
    const rotated = await keys.rotateKey({ ...rotation, ...(await actionOf(work)) })
    const { key, secret, replaced } = rotated
    return { key: toWire(key, metadata), secret, replaced: toWire(replaced, metadata) }
  },

  async revokeKey(work) {
    const { keys, body, metadata } = work
    const revocation = checkerOf(keys).revocation(orNoFields(await body()))
    const { grantable: _, ...action } = await actionOf(work)
    return { key: toWire(await keys.revokeKey({ ...revocation, ...action }), metadata) }
  },

  async getUsage(work) {
    if (work.context.seesOwn) throw refusal('forbidden')
    return usageOf(work)
  },

  async listScopes({ keys, sources }) {
    const isNamed = (type: string) => sources.has(type)
    const resources = keys.resources.entries.map((one) => ({ ...one, isNamed: isNamed(one.type) }))
    return { groups: keys.catalogue.groups, resources, brand: keys.brand }
  },

  async listResources({ call, context, id: type, sources }) {
    const query = valuesIn(call.query, 'ResourceQuery') as WireResourceQuery
    const source = sources.get(type)
    if (source === undefined) throw refusal('not_found')
    return readResources(source, context, query)
  },
}

/** What an operation takes, without the workspace that the session names. */
type InputWithin<
  Name extends 'keyUsage' | 'listEvents' | 'listKeys',
  S extends string = string,
> = Omit<Parameters<ApiKeys<S>[Name]>[0], 'workspaceId'>

/** The filters of a list as a query has them. */
type WireFilters<S extends string> = Omit<InputWithin<'listKeys', S>, 'resource'> & {
  readonly resource?: string
}

/** `type:id`. The core checks both. */
function resourceIn(text: string): Readonly<Record<string, string>> {
  const colon = text.indexOf(':')
  return { [text.slice(0, Math.max(colon, 0))]: text.slice(colon + 1) }
}

/** The filter for a user who sees only their own keys; nobody else's then pass it. */
function ownOnly({ seesOwn, user }: CheckedContext, creatorId: string | undefined) {
  if (!seesOwn) return {}
  const isOwn = creatorId === undefined || creatorId === user.id
  // An id that nobody has.
  return { creatorId: isOwn ? user.id : crypto.randomUUID() }
}

type KeyWork<S extends string> = Pick<Work<S>, 'keys' | 'context' | 'id'>

/** The key in the path. Throws `key_not_found` also for one that the user must not see. */
async function visibleKey<S extends string>({ keys, context, id }: KeyWork<S>) {
  const { workspaceId, user, grant, seesOwn } = context
  const key = await keys.getKey({ ...grant, workspaceId, id })
  if (seesOwn && key.creator.id !== user.id) throw new ApiKeyError('key_not_found')
  return key
}

/** Reads the key only where there is something to hide. The creator of a key never changes to another. */
async function assertVisible<S extends string>(work: KeyWork<S>): Promise<void> {
  if (work.context.seesOwn) await visibleKey(work)
}

/** So few events can follow the rotation of a key: notices of its end, the end, a revocation. */
const AFTER_ROTATION = 10

/**
 * A page of the events of one key, newest first. `nextCursor` is `null` on the last page, which ends with
 * the rotation that the key came from, if it is a replacement. Throws `key_not_found`.
 */
async function historyOf<S extends string>(
  keys: ApiKeys<S>,
  query: Parameters<ApiKeys['listEvents']>[0] & { readonly keyId: string },
): Promise<EventList> {
  const { workspaceId, keyId } = query
  const { replaces } = await keys.getKey({ workspaceId, id: keyId })
  const page = await keys.listEvents({ ...query, newestFirst: true })
  const cursor = page.nextCursor
  const next = await keys.listEvents({ ...query, newestFirst: true, cursor, limit: 1 })
  if (page.events.length > 0 && next.events.length > 0) return page
  const origin = replaces === null ? [] : await rotationInto(keys, query, replaces)
  return { events: [...page.events, ...origin], nextCursor: null }
}

/** The rotation that made a key, in the log of the key that it replaces. */
async function rotationInto<S extends string>(
  keys: ApiKeys<S>,
  { workspaceId, keyId }: { readonly workspaceId: string; readonly keyId: string },
  replaced: string,
): Promise<readonly AuditEvent[]> {
  const newest = { newestFirst: true, limit: AFTER_ROTATION }
  const { events } = await keys.listEvents({ workspaceId, keyId: replaced, ...newest })
  return events.filter(
    (event) => event.type === 'api_key.rotated' && event.data.replacementId === keyId,
  )
}

/** The requests of one key, or of all keys of the workspace. */
async function usageOf<S extends string>({ keys, call, context }: Work<S>, id?: string) {
  // The core reads instants as text too.
  const query = valuesIn(call.query, 'UsageQuery') as unknown as InputWithin<'keyUsage'>
  const { buckets } = await keys.keyUsage({ ...query, workspaceId: context.workspaceId, id })
  const sent = buckets.map(({ startsAt, endsAt, ...counts }) => {
    return { startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString(), ...counts }
  })
  return { buckets: sent }
}

/** What each change of one key takes. Throws for a key that the user must not see. */
async function actionOf<S extends string>(
  work: KeyWork<S>,
): Promise<Parameters<ApiKeys<never>['pauseKey']>[0]> {
  await assertVisible(work)
  const { workspaceId, user: actor, grant } = work.context
  return { ...grant, workspaceId, id: work.id, actor }
}

/** Does what needs no more than the key in the path. */
async function changedBy<S extends string>(change: 'pauseKey' | 'resumeKey', work: Work<S>) {
  assertNoFields(await work.body())
  return { key: toWire(await work.keys[change](await actionOf(work)), work.metadata) }
}

/** An empty body stands for an object without fields. */
const orNoFields = (body: unknown) => (body === undefined ? {} : body)

function assertNoFields(given: unknown): void {
  const body = orNoFields(given)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid([], 'invalid_type', 'must be an object without fields.')
  }
  const [stranger] = Object.keys(body)
  if (stranger !== undefined) throw invalid([stranger], 'unknown_field', 'is not a known field.')
}

/** Throws `invalid_input` for entries of the metadata that the host has not named. */
function assertShownMetadata(body: unknown, shown: readonly string[]): void {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'metadata')) return
  const { metadata } = body as { readonly metadata: unknown }
  const names = shown.length === 0 ? [] : Object.keys(Object(metadata))
  const hidden = names.find((name) => !shown.includes(name))
  if (shown.length > 0 && hidden === undefined) return
  const path = hidden === undefined ? ['metadata'] : ['metadata', hidden]
  throw invalid(path, 'unknown_field', 'is not a known field.')
}
