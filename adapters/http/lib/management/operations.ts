import type { HttpAnswer } from '../../../../src/http/index.ts'
import { ApiKeyError, type ApiKeys, type ListKeysQuery } from '../../../../src/index.ts'
import { readJson } from './body.ts'
import type { ManagementCall, ManagementContext, ManagementOperation } from './call.ts'
import { demandNoQuery, listFilters } from './query.ts'
import { refusals } from './refusal.ts'
import { toWire } from './wire.ts'

/** What an operation works with. */
interface Work<S extends string> {
  readonly keys: ApiKeys<S>
  readonly call: ManagementCall
  readonly context: ManagementContext
  /** The id in the path; empty where the path has none. */
  readonly id: string
}

type Operation = <S extends string>(work: Work<S>) => Promise<HttpAnswer>

/** What each operation does. */
export const OPERATIONS: Readonly<Record<ManagementOperation, Operation>> = {
  async listKeys({ keys, call, context }) {
    // Checked by the core, which takes anything and names every problem.
    const filters = listFilters(call.query) as Omit<ListKeysQuery, 'workspaceId'>
    const { workspaceId } = context
    const list = await keys.listKeys({ ...filters, workspaceId })
    return json(200, { workspaceId, ...list, keys: list.keys.map(toWire) })
  },

  async createKey({ keys, call, context }) {
    demandNoQuery(call.query)
    const body = await readJson(call)
    if (body === undefined) throw refusals.badBody()
    const fields = keys.checkFields(body)
    const { workspaceId, user } = context
    const { key, secret } = await keys.createKey({ ...fields, workspaceId, creator: user })
    return json(201, { key: toWire(key), secret }, location(call, key.id))
  },

  async rotateKey({ keys, call, context, id }) {
    await demandNoFields(call)
    const { workspaceId, user } = context
    const { key, secret, replaced } = await keys.rotateKey({ workspaceId, id, actor: user })
    const body = { key: toWire(key), secret, replaced: toWire(replaced) }
    return json(201, body, location(call, key.id))
  },

  async revokeKey({ keys, call, context, id }) {
    await demandNoFields(call)
    const { workspaceId, user } = context
    const key = await keys.revokeKey({ workspaceId, id, actor: user })
    return json(200, { key: toWire(key) })
  },

  async listScopes({ keys, call }) {
    demandNoQuery(call.query)
    return json(200, { groups: keys.catalogue.groups })
  },
}

/** Rotate and revoke take nothing but the path: an empty body, or an empty object. */
async function demandNoFields(call: ManagementCall): Promise<void> {
  demandNoQuery(call.query)
  const body = await readJson(call)
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

function location({ basePath }: ManagementCall, id: string) {
  return { location: `${basePath}/keys/${id}` }
}

function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}
