import { looksLikeSecret } from '../../../src/redact/index.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../errors.ts'
import { inOneLine } from '../output.ts'

/**
 * `miftah find`: the key of a secret that has turned up somewhere. The secret comes from standard
 * input alone: an argument would end up in the shell's history and in the list of processes.
 */
export const find: Command = {
  summary: 'find the key of a secret, which is read from standard input',
  example: 'find -d keys.db < leaked.txt',
  async run({ keys, brand, config, terminal, show }) {
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
    if (!isForeign && !looksLikeSecret(secret, brand)) {
      const cure = "for another brand or format, give the application's --config"
      throw new UsageError(
        `Standard input is no secret of the brand ${brand}, or is mistyped: its end is a checksum; ${cure}.`,
      )
    }
    terminal.err('No key has this secret.')
    return 1
  },
}

/** Far more than a secret and the white space around it. */
const MAX_LENGTH = 4_096

async function textOf(input: AsyncIterable<string | Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of input) {
    text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk)
    if (text.length > MAX_LENGTH) throw new UsageError('Standard input is too long for a secret.')
  }
  return text
}
