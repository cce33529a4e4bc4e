import { runCommandLine } from '../../adapters/cli/run.ts'

/** What a command line printed, and how it ended. */
export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command line in this process; `input` is its standard input. */
export async function miftah(words: readonly string[], input = ''): Promise<Ran> {
  const printed = { out: '', err: '' }
  const code = await runCommandLine(words, {
    input: (async function* () {
      yield input
    })(),
    out: async (text) => {
      printed.out += `${text}\n`
    },
    err: (text) => {
      printed.err += `${text}\n`
    },
  })
  return { code, ...printed }
}
