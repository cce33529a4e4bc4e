import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Ran } from './command-line.ts'
import { compiled } from './compiled.ts'

/** The command line as one file, to be run in processes of its own. */
export const compiledCli = () => compiled({ code: "import './adapters/cli/main.ts'" })

/** Starts the compiled command line. */
export function startCli(
  cli: string,
  words: readonly string[],
  stdio: SpawnOptions['stdio'] = ['ignore', 'pipe', 'pipe'],
): ChildProcess {
  return spawn(process.execPath, [cli, ...words], { stdio })
}

/** What a process has printed where a pipe leads here, and how it ended. */
export async function endOf(child: ChildProcess): Promise<Ran> {
  const printed = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => (printed.out += chunk))
  child.stderr?.on('data', (chunk) => (printed.err += chunk))
  const [code] = await once(child, 'close')
  return { code, ...printed }
}

/** Runs the compiled command line to its end. */
export const ranCli = (cli: string, words: readonly string[]) => endOf(startCli(cli, words))

const RUNNER = `import { miftah } from './test/support/command-line.ts'
const ran = []
for (const words of JSON.parse(process.argv[2])) ran.push(await miftah(words))
console.log(JSON.stringify(ran))`

/** Runs command lines one after another in one process of a program, whose own import loads config modules. */
export async function ranIn(
  program: string,
  lines: readonly (readonly string[])[],
): Promise<readonly Ran[]> {
  const { out, err } = await endOf(
    spawn(program, [await compiled({ code: RUNNER }), JSON.stringify(lines)]),
  )
  if (out === '') throw new Error(err)
  return JSON.parse(out)
}
