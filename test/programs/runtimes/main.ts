import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { markdownTable } from '../../support/markdown-table.ts'
import { outputOf, startServer } from '../../support/package/child.ts'
import { installPacked } from '../../support/package/installed.ts'
import { walk } from '../../support/package/walk.ts'
import { RUNTIMES, type Runtime, SHELF } from './runtimes.ts'
import { bundle, FOR_WORKERS, resultsIn } from './suite.ts'

// `npm run runtimes`: the packed package, installed beside Node 20, 22, 24 and 26, Bun, Deno and workerd, runs
// the suite and a server on each. It prints the table of docs/runtimes.md.

console.error('building, packing, installing …')
const suite = join(SHELF, 'suite')
installPacked(SHELF)
rmSync(suite, { recursive: true, force: true })
cpSync(fileURLToPath(new URL('suite/', import.meta.url)), suite, { recursive: true })
await bundle(join(suite, 'worker.js'), join(suite, 'worker.bundle.js'), FOR_WORKERS)
await bundle(join(suite, 'main.js'), join(suite, 'portable.js'), ['browser'])

const rows: string[][] = []
for (const runtime of RUNTIMES) {
  const failures: string[] = []
  const row = await tried(runtime, failures).catch((error: unknown) => {
    failures.push(String(error))
    return ['?', '0', '—']
  })
  rows.push([runtime.name, ...row, runtime.lacks])
  console.log(`${runtime.name}: ${failures.length === 0 ? 'passed' : 'FAILED'}`)
  for (const text of failures) console.error(`  ${text}`)
  if (failures.length > 0) process.exitCode = 1
}
// The budgets of the house count what lies about.
rmSync(suite, { recursive: true })
console.log(markdownTable(['runtime', 'version', 'checks', 'SQLite through', 'not run'], rows))

async function tried({ binary, suite, server, portOn }: Runtime, failures: string[]) {
  const version = /\d+[\d.-]+\d/.exec(await outputOf([binary, '--version'], SHELF))?.[0] ?? '?'
  const found = resultsIn(await outputOf([binary, ...suite], SHELF))
  failures.push(...found.failures)
  let { passed } = found
  if (server !== null) {
    const running = await startServer(server, SHELF, { pipe: portOn })
    const drive = async () => (await walk(running.port)) + (await hang(running.port))
    passed += await drive().finally(() => running.stop())
  }
  return [version, String(passed), [...new Set(found.drivers)].join(', ') || '—']
}

/**
 * A storage that hangs in one request after the other: the time limit holds in each, also where a timer ends
 * with the request that set it, and nothing is left of a request that was given up.
 */
async function hang(port: number): Promise<number> {
  const visit = (word: string, ms = 30_000) =>
    fetch(`http://127.0.0.1:${port}/hanging/${word}`, { signal: AbortSignal.timeout(ms) })
  const expectStatus = async (word: string, status: number) => {
    const response = await visit(word)
    if (response.status !== status) throw new Error(`${word} hangs: ${response.status}`)
  }
  await expectStatus('nothing', 200)
  await expectStatus('storage', 503)
  await expectStatus('storage', 503)
  await expectStatus('nothing', 200)
  await visit('storage', 100).catch(() => undefined)
  await wait(1_000)
  await expectStatus('nothing', 200)
  return 5
}
