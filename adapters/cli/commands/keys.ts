import type { ApiKey, KeyList, RevocationReason } from '../../../src/index.ts'
import { actionOf, type Call, type Command, given, ON_KEY } from '../command.ts'
import { checked, UsageError } from '../errors.ts'
import { tableOf } from '../output.ts'

export const list: Command = {
  summary: 'list the keys of a workspace',
  example: 'list -d keys.db -w ws_1 --status active',
  needs: ['workspace'],
  takes: ['status', 'environment', 'creator'],
  async run({ values, workspaceId, keys, show }) {
    const query = {
      workspaceId,
      status: values.status as 'active' | undefined,
      environment: values.environment as 'live' | undefined,
      creatorId: values.creator,
      limit: 200,
    }
    const found: ApiKey<string>[] = []
    let cursor: string | null = null
    do {
      const page: KeyList<string> = await checked(() => keys.listKeys({ ...query, cursor }))
      found.push(...page.keys)
      cursor = page.nextCursor
    } while (cursor !== null)
    return show(found, tableOf(found))
  },
}

function switched(verb: 'pause' | 'resume', danger: string, summary: string): Command {
  return {
    ...ON_KEY,
    summary,
    example: `${verb} key_V1StGXR8Z5jdHi6BmyT4a -d keys.db -w ws_1`,
    async run(call) {
      const advice = `The key ${danger}: ${verb} it again, until this succeeds.`
      const key = await checked(() => call.keys[`${verb}Key`](actionOf(call)), advice)
      return call.show(key, `${key.id} is ${key.status}.`)
    },
  }
}

export const pause = switched('pause', 'may still work', 'stop a key until it is resumed')
export const resume = switched('resume', 'may work again already', 'let a paused key work again')

const FILTERS = ['creator', 'environment', 'scope', 'resource', 'unusedForDays'] as const

export const revoke: Command = {
  summary: 'revoke a key for good, or all keys that pass filters',
  example: 'revoke -d keys.db -w ws_1 --creator u_1 --dry-run',
  argument: '[ID]',
  needs: ['workspace'],
  takes: ['reason', 'dryRun', ...FILTERS, ...ON_KEY.takes],
  async run(call) {
    const { values, keys, show } = call
    const isFiltered = FILTERS.some((name) => values[name] !== undefined)
    if (isFiltered === (call.argument !== '')) {
      throw new UsageError(
        'revoke needs either an ID or one of --creator, --environment, --scope, --resource and --unused-for-days.',
      )
    }
    if (isFiltered) return revokeMany(call)
    if (values.dryRun) throw new UsageError('revoke takes --dry-run with filters only.')
    const reason = values.reason as RevocationReason | undefined
    const advice = 'The key may still work: revoke it again, until this succeeds.'
    const key = await checked(() => keys.revokeKey({ ...actionOf(call), reason }), advice)
    return show(key, `${key.id} was revoked at ${key.revokedAt?.toISOString()}.`)
  },
}

async function revokeMany(call: Call): Promise<number> {
  const { values, workspaceId, actor, keys, show } = call
  const { creator, environment, resource, unusedForDays: days, reason, dryRun = false } = values
  const [scope, ...others] = values.scope ?? []
  if (others.length > 0) throw new UsageError('revoke takes one --scope.')
  const [type = '', ...id] = resource?.split(':') ?? []
  const filters = given({
    ...{ creatorId: creator, environment: environment as 'live' | undefined, scope },
    resource: resource === undefined ? resource : { [type]: id.join(':') },
    unusedForDays: days === undefined ? days : Number(days),
    reason: reason as RevocationReason | undefined,
  })
  const run = () => keys.revokeKeys({ ...filters, dryRun, workspaceId, actor })
  const answer = await checked(run, 'Some keys may be revoked: run it again, until this succeeds.')
  const verb = dryRun ? 'would be revoked' : 'revoked'
  const count = `${answer.revoked} ${answer.revoked === 1 ? 'key' : 'keys'} ${verb}.`
  return show(answer, answer.keys.length === 0 ? count : `${tableOf(answer.keys)}\n${count}`)
}
