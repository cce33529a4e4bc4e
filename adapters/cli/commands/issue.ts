import { checkerOf } from '../../../src/http/index.ts'
import type { IssuedKey } from '../../../src/index.ts'
import { actionOf, type Call, type Command, ON_KEY } from '../command.ts'
import { checked } from '../errors.ts'
import { OutputError } from '../output.ts'
import { checkCreation, checkRotation, checkScopes } from './guards.ts'

const MAY_BE_ISSUED =
  'The key may have been issued: list the keys and revoke the new one, whose secret is lost.'

export const create: Command = {
  summary: 'create a key and print its secret',
  example: 'create -d keys.db -w ws_1 -n Billing -e live -s contacts.read',
  needs: ['workspace', 'name', 'environment', 'scope'],
  takes: ['force', ...ON_KEY.takes],
  async run(call) {
    const { values, workspaceId, actor: creator, keys } = call
    checkScopes(call)
    const { name, environment, scope: scopes } = values
    const fields = await checked(async () => checkerOf(keys).fields({ name, environment, scopes }))
    await checkCreation(call)
    const input = { ...fields, workspaceId, creator }
    const issued = await checked(() => keys.createKey(input), MAY_BE_ISSUED)
    return showSecret(call, issued, 'was created')
  },
}

export const rotate: Command = {
  ...ON_KEY,
  summary: 'replace a key, which stops at once, and print the new secret',
  example: 'rotate key_V1StGXR8Z5jdHi6BmyT4a -d keys.db -w ws_1 -c miftah.config.js',
  takes: ['force', ...ON_KEY.takes],
  async run(call) {
    await checkRotation(call)
    const issued = await checked(() => call.keys.rotateKey(actionOf(call)), MAY_BE_ISSUED)
    return showSecret(call, issued, `takes the place of ${call.argument}`)
  },
}

async function showSecret(
  { terminal, values, show }: Call,
  issued: IssuedKey<string>,
  what: string,
): Promise<number> {
  const { id, scopes } = issued.key
  if (!values.json) {
    const can = scopes.length === 1 ? 'scope' : 'scopes'
    const sentence = `${id} ${what}, with the ${can} ${scopes.join(', ')}.`
    terminal.err(`${sentence} Its secret is shown only once:`)
  }
  return show(issued, issued.secret).catch((error: unknown) => {
    if (!(error instanceof OutputError)) throw error
    const cure = `The secret of ${id} is lost: rotate or revoke that key.`
    throw new OutputError(`${error.message} ${cure}`)
  })
}
