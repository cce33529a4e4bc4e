import { looksLikeSecret } from '../../../src/redact/index.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../errors.ts'
import { inOneLine } from '../output.ts'

/** It reads standard input: an argument would end up in the history of the shell and the list of processes. */
export const find: Command = {
  summary: 'find the key of a secret, which is read from standard input',
  example: 'find -d keys.db < leaked.txt',
  async run({ keys, config, terminal, show }) {
    const secret = (await textOf(terminal.input)).trim()
    if (secret === '') {
      throw new UsageError('find reads the secret from standard input: it is empty.')
    }
    const key = await keys.findKeyBySecret(secret)
    if (key !== null) {
      const { id, workspaceId, status, name } = key
      return show(key, inOneLine(`${id} of workspace ${workspaceId}, ${status}: ${name}`))
    }
    const isForeign = config?.formats?.some(({ test }) => test(secret)) === true
    if (!isForeign && !looksLikeSecret(secret, keys.brand)) {
      const cure = "for another brand or format, give the application's --config"
      throw new UsageError(
        `Standard input is no secret of the brand ${keys.brand}, or is mistyped: its end is a checksum; ${cure}.`,
      )
    }
    terminal.err('No key has this secret.')
    return 1
  },
}

async function textOf(input: AsyncIterable<string | Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of input) {
    text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk)
    // Far more than a secret and the white space around it.
    if (text.length > 4_096) throw new UsageError('Standard input is too long for a secret.')
  }
  return text
}
