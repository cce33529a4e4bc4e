import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiled } from './compiled.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The example host running as its users run it: a process of its own. */
export interface RunningHost {
  readonly address: string
  /** All that it has printed. */
  readonly output: () => string
  /** Ctrl+C; resolves to the exit code. */
  stop(): Promise<number | null>
  /** The end without a goodbye. */
  kill(): Promise<void>
}

/** A folder for the host's data, and how to remove it. */
export async function dataFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'miftah-host-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** With the built package, which it imports by name. */
function compiledHost(): Promise<string> {
  return compiled({
    code: "import './examples/host/main.ts'",
    url: 'examples/host/app.ts',
    tsconfig: 'examples/tsconfig.json',
  })
}

/** Starts the host without the keys of the demo on a free loopback port, and waits for its banner. */
export async function startHost(env: Readonly<Record<string, string>>): Promise<RunningHost> {
  const child = spawn(process.execPath, [await compiledHost()], {
    cwd: ROOT,
    env: { ...process.env, PORT: '0', MIFTAH_EMPTY: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  child.stdout.on('data', (chunk) => (printed += chunk))
  child.stderr.on('data', (chunk) => (printed += chunk))
  const exited = once(child, 'exit')
  const address = await banner(() => printed, exited)
  return {
    address,
    output: () => printed,
    stop: async () => {
      child.kill('SIGINT')
      const [code] = await exited
      return code
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function banner(printed: () => string, exited: Promise<unknown>): Promise<string> {
  let ended = false
  exited.then(() => {
    ended = true
  })
  const deadline = Date.now() + 120_000
  while (Date.now() < deadline && !ended) {
    const [, address] = /Page +(http:\/\/\S+)/.exec(printed()) ?? []
    if (address !== undefined) return address
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`The host did not start:\n${printed()}`)
}
