import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '../../../adapters/cli/database.ts'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { contentOf } from '../../support/copy/world.ts'
import { testDatabase } from '../../support/postgres-database.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import * as mysql from '../reliability/mysql-module.ts'
import { fillKeys } from './keys.ts'

// Copies keys SQLite → PostgreSQL → MySQL → SQLite with the command line, killed on the first two ways, and
// compares all that the first and the last answer: tsx test/programs/copy/main.ts [--keys 100000]

const { values } = parseArgs({ options: { keys: { type: 'string', default: '100000' } } })
const keys = Number(values.keys)
const folder = await mkdtemp(join(tmpdir(), 'miftah-copy-'))
const server = await startPostgres()
const postgres = await testDatabase(server)
const place = await mysql.createPlace()
try {
  const first = join(folder, 'first.db')
  const source = sqliteStorage(first)
  const workspaces = await fillKeys(source, keys)
  await source.close()
  const expected = await digestOf(first)
  const last = join(folder, 'last.db')
  const ways = [first, postgres.url, place.target, last]
  for (const [at, to] of ways.slice(1).entries()) {
    const from = ways[at] ?? ''
    const killedAtKeys = at < 2 ? await killed(from, to) : null
    const begun = performance.now()
    const { code, out } = await start(from, to).ended
    const seconds = Math.round((performance.now() - begun) / 100) / 10
    const isEqual = to === last ? (await digestOf(to)) === expected : null
    const written = out.split('\n').filter((line) => line.includes('copied'))
    console.log(JSON.stringify({ way: at + 1, killedAtKeys, code, seconds, written, isEqual }))
    if (code !== 0 || isEqual === false) process.exitCode = 1
  }

  async function digestOf(database: string): Promise<string> {
    const { storage, close } = await openDatabase({ database }, {})
    const digest = createHash('sha256')
    for await (const part of contentOf(storage, workspaces)) digest.update(textOf(part))
    await close()
    return digest.digest('hex')
  }
} finally {
  await place.remove()
  await postgres.close()
  await server.dispose()
  await rm(folder, { recursive: true })
}

/** As JSON with the names of each object in one order: PostgreSQL keeps them in an order of its own. */
function textOf(part: unknown): string {
  return JSON.stringify(part, (_, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}

function start(from: string, to: string) {
  const words = ['--import', 'tsx', 'adapters/cli/main.ts', 'copy', '--from', from, '--to', to]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  const ended = new Promise<{ readonly code: number | null; readonly out: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out }))
  })
  return { child, ended }
}

/** Kills a copy once the target has some of the keys, and answers how many it had. */
async function killed(from: string, to: string): Promise<number> {
  const enough = keys * (0.2 + Math.random() / 2)
  const { child, ended } = start(from, to)
  const { storage, close } = await openDatabase({ database: to }, {})
  let there = 0
  while (there < enough && child.exitCode === null) {
    await pause(100)
    const { keys: counts } = await storage.diagnose().catch(() => ({ keys: null }))
    there = Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0)
  }
  child.kill('SIGKILL')
  await close()
  if ((await ended).code !== null) throw new Error('the copy ended before it was killed')
  return there
}
