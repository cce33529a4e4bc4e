import type { ApiKey, KeyList, RevocationReason } from '../../../src/index.ts'
import { ACTOR, actionOf, type Call, type Command, workspaceOf } from '../command.ts'
import { json, KEY_HEADINGS, keyRow, table } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { changed, checked } from './checked.ts'

const REVOKE_AGAIN = 'The key may still work: revoke it again, until this succeeds.'
const PAUSE_AGAIN = 'The key may still work: pause it again, until this succeeds.'
const RESUME_AGAIN = 'The key may work again already: resume it again, until this succeeds.'

/** `miftah list`: all keys of a workspace, newest first. */
export const list: Command = {
  summary: 'list the keys of a workspace',
  needs: ['workspace'],
  takes: ['status', 'environment', 'creator'],
  async run({ values, keys, terminal }) {
    const found: ApiKey<string>[] = []
    let cursor: string | null = null
    do {
      const page: KeyList<string> = await checked(() =>
        keys.listKeys({
          workspaceId: workspaceOf(values),
          limit: 200,
          ...(cursor !== null && { cursor }),
          ...(values.status !== undefined && { status: values.status as 'active' }),
          ...(values.environment !== undefined && { environment: values.environment as 'live' }),
          ...(values.creator !== undefined && { creatorId: values.creator }),
        }),
      )
      found.push(...page.keys)
      cursor = page.nextCursor
    } while (cursor !== null)
    await terminal.out(values.json ? json(found) : table(KEY_HEADINGS, found.map(keyRow)))
    return undefined
  },
}

/** `miftah pause ID`. */
export const pause: Command = {
  summary: 'stop a key until it is resumed',
  argument: 'ID',
  needs: ['workspace'],
  takes: ACTOR,
  async run(call) {
    const { keys } = call
    return showStatus(call, await changed(() => keys.pauseKey(actionOf(call)), PAUSE_AGAIN))
  },
}

/** `miftah resume ID`. */
export const resume: Command = {
  summary: 'let a paused key work again',
  argument: 'ID',
  needs: ['workspace'],
  takes: ACTOR,
  async run(call) {
    const { keys } = call
    return showStatus(call, await changed(() => keys.resumeKey(actionOf(call)), RESUME_AGAIN))
  },
}

const FILTERS = ['creator', 'environment', 'scope', 'resource', 'unused-for-days'] as const

/** `miftah revoke ID`, or all keys that pass filters. */
export const revoke: Command = {
  summary: 'revoke a key for good, or all keys that pass filters',
  argument: 'ID',
  isOptional: true,
  needs: ['workspace'],
  takes: ['reason', 'dry-run', ...FILTERS, ...ACTOR],
  async run(call) {
    const { values, keys, terminal } = call
    const isFiltered = FILTERS.some((name) => values[name] !== undefined)
    if (isFiltered === (call.argument !== '')) {
      throw new UsageError(
        'revoke needs either an ID or one of --creator, --environment, --scope, --resource and --unused-for-days.',
      )
    }
    if (isFiltered) return revokeMany(call)
    if (values['dry-run']) throw new UsageError('revoke takes --dry-run with filters only.')
    const reason = values.reason as RevocationReason | undefined
    const key = await changed(() => keys.revokeKey({ ...actionOf(call), reason }), REVOKE_AGAIN)
    await terminal.out(
      values.json ? json(key) : `${key.id} was revoked at ${key.revokedAt?.toISOString()}.`,
    )
    return undefined
  },
}

async function revokeMany(call: Call): Promise<undefined> {
  const { values, keys, terminal } = call
  const { workspaceId, actor } = actionOf(call)
  const { creator, environment, scope, reason, 'dry-run': dryRun } = values
  const [only, ...others] = scope ?? []
  if (others.length > 0) throw new UsageError('revoke takes one --scope.')
  const [type = '', ...id] = values.resource?.split(':') ?? []
  const days = values['unused-for-days']
  const input = {
    ...(creator !== undefined && { creatorId: creator }),
    ...(environment !== undefined && { environment: environment as 'live' }),
    ...(only !== undefined && { scope: only }),
    ...(values.resource !== undefined && { resource: { [type]: id.join(':') } }),
    ...(days !== undefined && { unusedForDays: Number(days) }),
    ...(reason !== undefined && { reason: reason as RevocationReason }),
    dryRun,
  }
  const run = () => keys.revokeKeys({ ...input, workspaceId, actor })
  const answer = await changed(run, 'Some keys may be revoked: run it again, until this succeeds.')
  const rows = answer.keys.map(keyRow)
  const verb = dryRun ? 'would be revoked' : 'revoked'
  const count = `${answer.revoked} ${answer.revoked === 1 ? 'key' : 'keys'} ${verb}.`
  const text = rows.length === 0 ? count : `${table(KEY_HEADINGS, rows)}\n${count}`
  await terminal.out(values.json ? json(answer) : text)
}

async function showStatus({ values, terminal }: Call, key: ApiKey<string>): Promise<undefined> {
  await terminal.out(values.json ? json(key) : `${key.id} is ${key.status}.`)
}
