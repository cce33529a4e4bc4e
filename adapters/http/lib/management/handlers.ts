import {
  ApiKeyError,
  type ApiKeys,
  type KeyAction,
  type KeyUsageQuery,
  type ListEventsQuery,
  type ListKeysQuery,
} from '../../../../src/index.ts'
import type { CheckedContext, ManagementCall, ManagementOperation } from './call.ts'
import { versionIn } from './if-match.ts'
import { historyOf } from './key-history.ts'
import { openApi } from './openapi.ts'
import type { OpenApiInfo } from './openapi-document.ts'
import { assertNoQuery, valuesIn } from './query.ts'
import { refusals } from './refusal.ts'
import { assertShownMetadata } from './shown-metadata.ts'
import { type Answers, toWireBucket } from './wire/answers.ts'
import { toWireEvent } from './wire/events.ts'
import { toWire } from './wire/key.ts'
import type { OPERATIONS } from './wire/operations.ts'

/** What a handler works with. */
interface Work<S extends string> {
  readonly keys: ApiKeys<S>
  readonly call: ManagementCall
  readonly context: CheckedContext
  /** The id in the path; empty for a path without one. */
  readonly id: string
  /** Reads the body, once. */
  readonly body: () => Promise<unknown>
  /** The entries of the metadata that are shown and taken. */
  readonly metadata: readonly string[]
  /** What the host says about its API. */
  readonly about: OpenApiInfo
}

type AnswerOf<Name extends ManagementOperation> = Answers[(typeof OPERATIONS)[Name]['answer']]

/** Do what each operation asks for and return the body of its answer. */
export const HANDLERS: {
  readonly [Name in ManagementOperation]: <S extends string>(
    work: Work<S>,
  ) => Promise<AnswerOf<Name>>
} = {
  async listKeys<S extends string>({ keys, call, context, metadata }: Work<S>) {
    // The core checks the values: it takes anything and names every problem.
    const filters = valuesIn(call.query, 'ListQuery') as Omit<ListKeysQuery<S>, 'workspaceId'>
    const { workspaceId, allowedOperations } = context
    const list = await keys.listKeys({ ...filters, workspaceId })
    const shown = list.keys.map((key) => toWire(key, metadata))
    return { workspaceId, ...list, keys: shown, allowedOperations }
  },

  async createKey({ keys, call, context: { workspaceId, user }, body, metadata }) {
    assertNoQuery(call.query)
    const given = await body()
    if (given === undefined) throw refusals.badBody()
    assertShownMetadata(given, metadata)
    const fields = keys.checkFields(given)
    const { key, secret } = await keys.createKey({ ...fields, workspaceId, creator: user })
    return { key: toWire(key, metadata), secret }
  },

  async getKey({ keys, call, context: { workspaceId }, id, metadata }) {
    assertNoQuery(call.query)
    return { key: toWire(await keys.getKey({ workspaceId, id }), metadata) }
  },

  async getKeyUsage(work) {
    return usageOf(work, work.id)
  },

  async getKeyEvents({ keys, call, context: { workspaceId }, id, metadata }) {
    // The core checks the values.
    const query = valuesIn(call.query, 'EventsQuery') as Omit<ListEventsQuery, 'workspaceId'>
    const { events, nextCursor } = await historyOf(keys, { ...query, workspaceId, keyId: id })
    return { events: events.map((event) => toWireEvent(event, metadata)), nextCursor }
  },

  async updateKey({ keys, call, context: { workspaceId, user }, id, body, metadata }) {
    assertNoQuery(call.query)
    const version = versionIn(call.lines('if-match'))
    const given = await body()
    assertShownMetadata(given, metadata)
    const change = keys.checkChanges(given)
    if (version === null) {
      throw new ApiKeyError('stale', { key: await keys.getKey({ workspaceId, id }) })
    }
    const key = await keys.updateKey({ workspaceId, id, actor: user, version, change })
    return { key: toWire(key, metadata) }
  },

  async pauseKey(work) {
    return { key: toWire(await work.keys.pauseKey(await actionOf(work)), work.metadata) }
  },

  async resumeKey(work) {
    return { key: toWire(await work.keys.resumeKey(await actionOf(work)), work.metadata) }
  },

  async rotateKey({ keys, call, context: { workspaceId, user }, id, body, metadata }) {
    assertNoQuery(call.query)
    const given = await body()
    const rotation = keys.checkRotation(given === undefined ? {} : given)
    const action = { ...rotation, workspaceId, id, actor: user }
    const { key, secret, replaced } = await keys.rotateKey(action)
    return { key: toWire(key, metadata), secret, replaced: toWire(replaced, metadata) }
  },

  async revokeKey({ keys, call, context: { workspaceId, user }, id, body, metadata }) {
    assertNoQuery(call.query)
    const given = await body()
    const revocation = keys.checkRevocation(given === undefined ? {} : given)
    const key = await keys.revokeKey({ ...revocation, workspaceId, id, actor: user })
    return { key: toWire(key, metadata) }
  },

  async getUsage(work) {
    return usageOf(work)
  },

  async listScopes({ keys, call }) {
    assertNoQuery(call.query)
    return { groups: keys.catalogue.groups }
  },

  async getOpenApi({ keys, call, metadata, about }) {
    assertNoQuery(call.query)
    // An empty base path is the root, which OpenAPI writes as a slash.
    return openApi(keys.catalogue, { ...about, metadata, basePath: call.basePath || '/' })
  },
}

/** The requests of one key, or of all keys of the workspace. */
async function usageOf<S extends string>({ keys, call, context }: Work<S>, id?: string) {
  // The core checks the values, and reads instants as text too.
  const query = valuesIn(call.query, 'UsageQuery') as unknown as Omit<KeyUsageQuery, 'workspaceId'>
  const { buckets, ...usage } = await keys.keyUsage({
    ...query,
    workspaceId: context.workspaceId,
    id,
  })
  return { ...usage, buckets: buckets.map(toWireBucket) }
}

/** What a call takes whose path says everything: its body is empty or an empty object. */
async function actionOf<S extends string>({
  call,
  context,
  id,
  body,
}: Work<S>): Promise<KeyAction> {
  assertNoQuery(call.query)
  assertNoFields(await body())
  return { workspaceId: context.workspaceId, id, actor: context.user }
}

function assertNoFields(body: unknown): void {
  if (body === undefined) return
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const message = 'must be an object without fields.'
    throw new ApiKeyError('invalid_input', {
      issues: [{ path: [], code: 'invalid_type', message }],
    })
  }
  const [stranger] = Object.keys(body)
  if (stranger === undefined) return
  const message = 'is not a known field.'
  throw new ApiKeyError('invalid_input', {
    issues: [{ path: [stranger], code: 'unknown_field', message }],
  })
}
