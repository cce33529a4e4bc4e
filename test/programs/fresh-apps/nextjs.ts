import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { walk } from '../../support/package/walk.ts'
import { freePort, startPostgres } from '../../support/postgres-server.ts'

/** How the app is started: the words of Node, and what it finds in its environment. */
interface Start {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const STANDALONE = ['.next/standalone/server.js']

/**
 * Drives a built app of Next.js: `standalone` on SQLite and on PostgreSQL, then `next dev`, whose modules
 * are loaded again in the middle. Answers how many things were checked.
 */
export async function driveNext(home: string): Promise<number> {
  const onSqlite = await driven(home, { words: STANDALONE, env: {} })
  const server = await startPostgres()
  try {
    const url = server.url(await server.createDatabase())
    const onPostgres = await driven(home, { words: STANDALONE, env: { DATABASE_URL: url } })
    return onSqlite + onPostgres + (await drivenInDev(home))
  } finally {
    await server.dispose()
  }
}

async function driven(home: string, { words, env }: Start): Promise<number> {
  const port = await freePort()
  const child = start(home, { words, env: { ...env, PORT: String(port), HOSTNAME: '127.0.0.1' } })
  try {
    await answers(port)
    return await walk(port)
  } finally {
    await stop(child)
  }
}

/** A key outlives a change of the module that opens the storage. */
async function drivenInDev(home: string): Promise<number> {
  const port = await freePort()
  const words = ['node_modules/next/dist/bin/next', 'dev', '--port', String(port)]
  const child = start(home, { words, env: { DATABASE_URL: join(home, 'dev.sqlite') } })
  try {
    await answers(port)
    const before = await walk(port)
    const file = join(home, 'lib/keys.ts')
    writeFileSync(file, `${readFileSync(file, 'utf8')}\nexport const changedAt = ${Date.now()}\n`)
    await wait(2_000)
    const response = await fetch(`http://127.0.0.1:${port}/api/settings/keys`, {
      headers: { cookie: 'session=noura' },
    })
    const { keys } = (await response.json()) as { keys: readonly unknown[] }
    if (keys.length !== 1) throw new Error(`there are ${keys.length} keys after a change`)
    return before + 1
  } finally {
    await stop(child)
  }
}

function start(home: string, { words, env }: Start): ChildProcess {
  const all = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env }
  return spawn(process.execPath, words, {
    cwd: home,
    env: all,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill()
  await ended
}

/** Waits until the page of the tab is there, which `next dev` compiles first. */
async function answers(port: number): Promise<void> {
  for (let tries = 0; tries < 120; tries += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/settings`).catch(() => null)
    const text = (await response?.text().catch(() => '')) ?? ''
    if (text.includes('<api-keys-tab')) return
    await wait(500)
  }
  throw new Error('the page of the tab did not come in a minute')
}
