import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MeterReport } from '../../../adapters/cli/meter/report.ts'
import { meterModule } from '../../support/meter/metered-server.ts'
import { ROOT } from '../../support/package/npm.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import type { MeasuredSystem } from './systems.ts'

const PROCESS = fileURLToPath(new URL('process.ts', import.meta.url))

interface Running {
  readonly child: ChildProcess
  readonly port: number
}

/** Starts the processes of a system, measures it by `npx miftah meter`, and ends them. */
export async function measure(system: MeasuredSystem): Promise<MeterReport> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-meter-'))
  const server = /postgres|cache/.test(system.kind) ? await startPostgres() : null
  const place = server?.url('postgres') ?? join(folder, 'keys.db')
  const running: Running[] = []
  let isOver = false
  try {
    // One after another: the first makes the tables.
    while (running.length < system.processes) running.push(await start(system, place))
    const last = running.at(-1)
    const stops = system.isOneStopped && last ? stopping(last.child, () => isOver) : null
    const report = await meterOf(system, running, folder)
    isOver = true
    await stops
    return report
  } finally {
    isOver = true
    for (const { child } of running) child.kill('SIGKILL')
    await server?.dispose()
    rmSync(folder, { recursive: true })
  }
}

async function start({ kind }: MeasuredSystem, place: string): Promise<Running> {
  const child = fork(PROCESS, [kind, place], { execArgv: ['--import', 'tsx'] })
  const [port] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${kind} did not start`))),
  ])
  return { child, port }
}

/** Stops a process for longer than a lease, and wakes it for a moment. */
async function stopping(child: ChildProcess, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    child.kill('SIGSTOP')
    await pause(8_000)
    child.kill('SIGCONT')
    await pause(2_000)
  }
}

async function meterOf(
  { keys, atOnce, quietMs, seconds }: MeasuredSystem,
  running: readonly Running[],
  folder: string,
): Promise<MeterReport> {
  const [first = ''] = running.map(({ port }) => meterModule(port))
  const config = join(folder, 'meter.mjs')
  writeFileSync(config, first)
  const [url = '', ...others] = running.map(({ port }) => `http://127.0.0.1:${port}/guarded`)
  const words = ['meter', url, ...others.flatMap((other) => ['--url', other]), '-c', config]
  const numbers = { keys, 'at-once': atOnce, 'quiet-ms': quietMs, seconds, connections: 4 }
  const options = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, `${value}`])
  const cli = join(ROOT, 'dist/cli.js')
  const child = spawn(process.execPath, [cli, ...words, ...options, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  await once(child, 'close')
  return JSON.parse(out)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
