import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'

/** A program and its words. */
export type Command = readonly [file: string, ...words: string[]]

/** What a program printed. When it fails or takes too long, that is the error. */
export async function outputOf(
  [file, ...words]: Command,
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const limits = { cwd, env: { ...process.env, ...env }, timeout: 600_000, maxBuffer: 2 ** 26 }
  try {
    const { stdout, stderr } = await promisify(execFile)(file, words, limits)
    return stdout + stderr
  } catch (error) {
    const { stdout = '', stderr = '' } = Object(error)
    const message = `${[file, ...words].join(' ')} failed:\n${stdout}${stderr}`
    throw new Error(message, { cause: error })
  }
}

/** A server that runs as a program of its own. */
export interface RunningServer {
  readonly port: number
  stop(): Promise<void>
}

/** How a server is started. */
export interface StartOptions {
  /** Where it writes its port. Default 1, standard output. */
  readonly pipe?: 1 | 3
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a server; the first line that it writes to `pipe` has its port, at the end of the line. */
export async function startServer(
  [file, ...words]: Command,
  cwd: string,
  { pipe = 1, env = {} }: StartOptions = {},
): Promise<RunningServer> {
  const child = spawn(file, words, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const stop = () => {
    child.kill()
    return ended
  }
  const port = await portOf(child, pipe)
  if (port === null) throw new Error(`${file} ended before it listened`)
  return { port, stop }
}

async function portOf(child: ChildProcess, pipe: 1 | 3): Promise<number | null> {
  for await (const line of createInterface(child.stdio[pipe] as Readable)) {
    const port = /(\d+)\}?$/.exec(line)?.[1]
    if (port !== undefined) return Number(port)
  }
  return null
}
