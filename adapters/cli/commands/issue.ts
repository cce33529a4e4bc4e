import { checkerOf } from '../../../src/http/index.ts'
import type { IssuedKey } from '../../../src/index.ts'
import { ACTOR, actionOf, actorOf, type Call, type Command, workspaceOf } from '../command.ts'
import { json, OutputError } from '../output.ts'
import { changed, checked } from './checked.ts'
import { checkCreation, checkRotation, checkScopes } from './guards.ts'

const MAY_BE_ISSUED =
  'The key may have been issued: list the keys and revoke the new one, whose secret is lost.'

/** `miftah create`: the new secret alone on standard output. */
export const create: Command = {
  summary: 'create a key and print its secret',
  needs: ['workspace', 'name', 'environment', 'scope'],
  takes: ['force', ...ACTOR],
  async run(call) {
    const { values, keys } = call
    checkScopes(call)
    const { name, environment, scope: scopes } = values
    const fields = await checked(async () => checkerOf(keys).fields({ name, environment, scopes }))
    await checkCreation(call)
    const who = { workspaceId: workspaceOf(values), creator: actorOf(values) }
    const issued = await changed(() => keys.createKey({ ...who, ...fields }), MAY_BE_ISSUED)
    await showSecret(call, issued, 'was created')
    return undefined
  },
}

/** `miftah rotate ID`: the secret of the replacement alone on standard output. */
export const rotate: Command = {
  summary: 'replace a key, which stops at once, and print the new secret',
  argument: 'ID',
  needs: ['workspace'],
  takes: ['force', ...ACTOR],
  async run(call) {
    await checkRotation(call)
    const issued = await changed(() => call.keys.rotateKey(actionOf(call)), MAY_BE_ISSUED)
    await showSecret(call, issued, `takes the place of ${call.argument}`)
    return undefined
  },
}

async function showSecret(
  { terminal, values }: Call,
  issued: IssuedKey<string>,
  what: string,
): Promise<void> {
  const { id, scopes } = issued.key
  if (!values.json) {
    const can = scopes.length === 1 ? 'scope' : 'scopes'
    const named = `${id} ${what}, with the ${can} ${scopes.join(', ')}.`
    terminal.err(`${named} Its secret is shown only once:`)
  }
  try {
    await terminal.out(values.json ? json(issued) : issued.secret)
  } catch (error) {
    if (!(error instanceof OutputError)) throw error
    throw new OutputError(
      `${error.message} The secret of ${id} is lost: rotate or revoke that key.`,
    )
  }
}
