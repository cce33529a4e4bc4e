import type { ApiKey, KeyFields, KeyList, RevocationReason } from '../../../src/index.ts'
import { actorOf, type Call, type Command } from '../command.ts'
import { json, KEY_HEADINGS, keyRow, OutputError, table } from '../output.ts'
import { changed, checked } from './checked.ts'

const ACTOR = ['actor-id', 'actor-name'] as const

const MAY_BE_ISSUED =
  'The key may have been issued: list the keys and revoke the new one, whose secret is lost.'

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
      const page: KeyList<string> = await checked(
        keys.listKeys({
          workspaceId: text(values.workspace),
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

/** `miftah create`: the new secret alone on standard output. */
export const create: Command = {
  summary: 'create a key and print its secret',
  needs: ['workspace', 'name', 'environment', 'scope'],
  takes: ACTOR,
  async run({ values, keys, terminal }) {
    const { name, environment, scope: scopes } = values
    const fields = { name, environment, scopes } as KeyFields<string>
    const workspaceId = text(values.workspace)
    const created = keys.createKey({ workspaceId, creator: actorOf(values), ...fields })
    const issued = await changed(created, MAY_BE_ISSUED)
    await showSecret(terminal, values.json, issued)
    return undefined
  },
}

/** `miftah rotate ID`: the secret of the replacement alone on standard output. */
export const rotate: Command = {
  summary: 'replace a key and print the new secret',
  argument: 'ID',
  needs: ['workspace'],
  takes: ACTOR,
  async run({ argument: id, values, keys, terminal }) {
    const action = { workspaceId: text(values.workspace), id, actor: actorOf(values) }
    await showSecret(terminal, values.json, await changed(keys.rotateKey(action), MAY_BE_ISSUED))
    return undefined
  },
}

/** `miftah revoke ID`. */
export const revoke: Command = {
  summary: 'revoke a key for good',
  argument: 'ID',
  needs: ['workspace'],
  takes: ['reason', ...ACTOR],
  async run({ argument: id, values, keys, terminal }) {
    const action = { workspaceId: text(values.workspace), id, actor: actorOf(values) }
    const reason = values.reason as RevocationReason | undefined
    const key = await changed(keys.revokeKey({ ...action, reason }), MAY_STILL_WORK)
    await terminal.out(
      values.json ? json(key) : `${key.id} was revoked at ${key.revokedAt?.toISOString()}.`,
    )
    return undefined
  },
}

async function showSecret(
  terminal: Call['terminal'],
  asJson: boolean,
  issued: { readonly key: { readonly id: string }; readonly secret: string },
): Promise<void> {
  const { id } = issued.key
  if (!asJson) terminal.err(`${id} was created. Its secret is shown only once:`)
  try {
    await terminal.out(asJson ? json(issued) : issued.secret)
  } catch (error) {
    if (!(error instanceof OutputError)) throw error
    throw new OutputError(
      `${error.message} The secret of ${id} is lost: rotate or revoke that key.`,
    )
  }
}

function text(value: string | undefined): string {
  return value ?? ''
}
