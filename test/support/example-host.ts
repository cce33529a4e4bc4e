import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiled } from './compiled.ts'

/** The example host running as its users run it: a process of its own. */
export interface RunningHost {
  readonly address: string
  /** All that it has printed. */
  readonly output: () => string
  /** Ctrl+C; resolves to the exit code. */
  stop(): Promise<number | null>
  /** The end without a goodbye. */
  kill(): Promise<unknown>
}

/** A folder for the host's data, and how to remove it. */
export async function dataFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'miftah-host-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** With the built package, which it imports by name. */
const HOST = {
  code: "import './examples/host/main.ts'",
  url: 'examples/host/app.ts',
  tsconfig: 'examples/tsconfig.json',
}

/** Starts the host without the keys of the demo on a free loopback port, and waits for its banner. */
export async function startHost(env: Readonly<Record<string, string>>): Promise<RunningHost> {
  const child = spawn(process.execPath, [await compiled(HOST)], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, PORT: '0', MIFTAH_EMPTY: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    const [code] = await closed
    return code
  }
  let printed = ''
  const address = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += chunk
      const [, found] = /Page +(http:\/\/\S+)/.exec(printed) ?? []
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    closed.then(() => reject(new Error(`The host did not start:\n${printed}`)), reject)
  })
  return { address, output: () => printed, stop: () => end('SIGINT'), kill: () => end('SIGKILL') }
}
