import type { ApiKey, KeyList, RevocationReason } from '../../../src/index.ts'
import { ACTOR, actionOf, type Call, type Command, workspaceOf } from '../command.ts'
import { json, KEY_HEADINGS, keyRow, table } from '../output.ts'
import { changed, checked } from './checked.ts'

const REVOKE_AGAIN = 'The key may still work: revoke it again, until this succeeds.'
const PAUSE_AGAIN = 'The key may still work: pause it again, until this succeeds.'
const RESUME_AGAIN = 'The key may work again already: resume it again, until this succeeds.'

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

/** `miftah revoke ID`. */
export const revoke: Command = {
  summary: 'revoke a key for good',
  argument: 'ID',
  needs: ['workspace'],
  takes: ['reason', ...ACTOR],
  async run(call) {
    const { values, keys, terminal } = call
    const reason = values.reason as RevocationReason | undefined
    const key = await changed(() => keys.revokeKey({ ...actionOf(call), reason }), REVOKE_AGAIN)
    await terminal.out(
      values.json ? json(key) : `${key.id} was revoked at ${key.revokedAt?.toISOString()}.`,
    )
    return undefined
  },
}

async function showStatus({ values, terminal }: Call, key: ApiKey<string>): Promise<undefined> {
  await terminal.out(values.json ? json(key) : `${key.id} is ${key.status}.`)
}
