import type { ApiKey, KeyList, RevocationReason } from '../../../src/index.ts'
import { ACTOR, actionOf, type Command, workspaceOf } from '../command.ts'
import { json, KEY_HEADINGS, keyRow, table } from '../output.ts'
import { changed, checked } from './checked.ts'

const MAY_STILL_WORK = 'The key may still work: revoke it again, until this succeeds.'

/** `miftah list`: all keys of a workspace, newest first. */
export const list: Command = {
  summary: 'list the keys of a workspace',
  needs: ['workspace'],
  takes: ['status', 'environment'],
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
        }),
      )
      found.push(...page.keys)
      cursor = page.nextCursor
    } while (cursor !== null)
    await terminal.out(values.json ? json(found) : table(KEY_HEADINGS, found.map(keyRow)))
    return undefined
  },
}

/** `miftah revoke ID`. */
export const revoke: Command = {
  summary: 'revoke a key for good',
  argument: 'ID',
  needs: ['workspace'],
  takes: ['reason', ...ACTOR],
  async run(call) {
    const { values, keys, terminal } = call
    const reason = values.reason as RevocationReason | undefined
    const key = await changed(() => keys.revokeKey({ ...actionOf(call), reason }), MAY_STILL_WORK)
    await terminal.out(
      values.json ? json(key) : `${key.id} was revoked at ${key.revokedAt?.toISOString()}.`,
    )
    return undefined
  },
}
