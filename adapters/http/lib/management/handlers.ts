import { ApiKeyError, type ApiKeys, type ListKeysQuery } from '../../../../src/index.ts'
import { readJson } from './body.ts'
import type { ManagementCall, ManagementContext, ManagementOperation } from './call.ts'
import { demandNoQuery, listFilters } from './query.ts'
import { refusals } from './refusal.ts'
import type { Answers } from './wire/answers.ts'
import { toWire } from './wire/key.ts'
import type { OPERATIONS } from './wire/operations.ts'

/** What a handler works with. */
interface Work<S extends string> {
  readonly keys: ApiKeys<S>
  readonly call: ManagementCall
  readonly context: ManagementContext
  /** The id in the path; empty for a path without one. */
  readonly id: string
}

type AnswerOf<Name extends ManagementOperation> = Answers[(typeof OPERATIONS)[Name]['answer']]

/** Do what each operation asks for and return the body of its answer. */
export const HANDLERS: {
  readonly [Name in ManagementOperation]: <S extends string>(
    work: Work<S>,
  ) => Promise<AnswerOf<Name>>
} = {
  async listKeys({ keys, call, context: { workspaceId } }) {
    // The core checks the values: it takes anything and names every problem.
    const filters = listFilters(call.query) as Omit<ListKeysQuery, 'workspaceId'>
    const list = await keys.listKeys({ ...filters, workspaceId })
    return { workspaceId, ...list, keys: list.keys.map(toWire) }
  },

  async createKey({ keys, call, context: { workspaceId, user } }) {
    demandNoQuery(call.query)
    const body = await readJson(call)
    if (body === undefined) throw refusals.badBody()
    const fields = keys.checkFields(body)
    const { key, secret } = await keys.createKey({ ...fields, workspaceId, creator: user })
    return { key: toWire(key), secret }
  },

  async rotateKey({ keys, call, context: { workspaceId, user }, id }) {
    await demandNoFields(call)
    const { key, secret, replaced } = await keys.rotateKey({ workspaceId, id, actor: user })
    return { key: toWire(key), secret, replaced: toWire(replaced) }
  },

  async revokeKey({ keys, call, context: { workspaceId, user }, id }) {
    await demandNoFields(call)
    return { key: toWire(await keys.revokeKey({ workspaceId, id, actor: user })) }
  },

  async listScopes({ keys, call }) {
    demandNoQuery(call.query)
    return { groups: keys.catalogue.groups }
  },
}

/** Rotate and revoke take nothing but the path: the body is empty or an empty object. */
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
