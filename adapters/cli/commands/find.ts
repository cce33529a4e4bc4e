import { looksLikeSecret } from '../../../src/redact/index.ts'
import type { Command } from '../command.ts'
import { inOneLine, json } from '../output.ts'
import { UsageError } from '../usage-error.ts'

/**
 * `miftah find`: the key of a secret that has turned up somewhere. The secret comes from standard
 * input alone: an argument would end up in the shell's history and in the list of processes.
 */
export const find: Command = {
  summary: 'find the key of a secret, which is read from standard input',
  async run({ values, keys, brand, config, terminal }) {
    const secret = (await textOf(terminal.input)).trim()
    if (secret === '')
      throw new UsageError('find reads the secret from standard input: it is empty.')
    const key = await keys.findKeyBySecret(secret)
    if (key === null) {
      const isForeign = config?.formats?.some(({ test }) => test(secret)) === true
      if (!isForeign && !looksLikeSecret(secret, brand)) throw notOfForm(brand)
      terminal.err('No key has this secret.')
      return 1
    }
    const { id, workspaceId, status, name } = key
    await terminal.out(
      values.json ? json(key) : inOneLine(`${id} of workspace ${workspaceId}, ${status}: ${name}`),
    )
    return undefined
  },
}

function notOfForm(brand: string): UsageError {
  const cure = "for another brand or format, give the application's --config"
  return new UsageError(
    `Standard input is no secret of the brand ${brand}, or is mistyped: its end is a checksum; ${cure}.`,
  )
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
