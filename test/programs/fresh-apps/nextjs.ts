import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sharedChromium } from '../../support/chromium.ts'
import { freePort } from '../../support/free-port.ts'
import { walk } from '../../support/package/walk.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { TabPage } from '../../support/settings-tab/tab-page.ts'
import { createdInTab } from './created-in-tab.ts'
import { refusals, saidOnce } from './misconfigured.ts'

/** How the app is started: the words of Node, and what it finds in its environment. */
interface Start {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Told what it writes to standard error, which is passed through unless given. */
  readonly onError?: (text: string) => void
}

const STANDALONE = ['.next/standalone/server.js']

/**
 * Drives a built app of Next.js: `standalone` on SQLite and on PostgreSQL, there also misconfigured, then
 * `next dev`, whose modules are loaded again in the middle. Returns how many things were checked.
 */
export async function driveNext(home: string): Promise<number> {
  // A part of every deployment of `standalone`: its server has no scripts of its own.
  cpSync(join(home, '.next/static'), join(home, '.next/standalone/.next/static'), {
    recursive: true,
  })
  const onSqlite = await driven(home, { words: STANDALONE, env: {} })
  const server = await startPostgres()
  try {
    const url = server.url(await server.createDatabase())
    const onPostgres = await driven(home, { words: STANDALONE, env: { DATABASE_URL: url } })
    return onSqlite + onPostgres + (await misconfigured(home, server)) + (await drivenInDev(home))
  } finally {
    await server.dispose()
  }
}

/** Starts the app with connection settings that are wrong, each in its way. */
async function misconfigured(home: string, server: PostgresServer): Promise<number> {
  const role = new URL(server.url('postgres', 'nobody'))
  const port = new URL(server.url('postgres'))
  port.port = String(await freePort())
  const wrong = [
    [port.href, /no database server listens at this address/],
    [role.href, /the database server does not let this role in/],
    [server.url('nope'), /the database does not exist/],
  ] as const
  let checks = 0
  for (const [url, reason] of wrong) {
    let said = ''
    const onError = (text: string) => {
      said += text
    }
    const env = { DATABASE_URL: url }
    checks += await driven(home, { words: STANDALONE, env, onError }, refusals)
    checks += saidOnce(said, reason)
  }
  return checks
}

async function driven(home: string, { env, ...how }: Start, drive = walkAll): Promise<number> {
  const port = await freePort()
  const child = start(home, { ...how, env: { ...env, PORT: String(port), HOSTNAME: '127.0.0.1' } })
  try {
    await answers(port)
    return await drive(port)
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
    return before + 1 + (await usesTabs(port))
  } finally {
    await stop(child)
  }
}

/** The routes, then the pages. */
async function walkAll(port: number): Promise<number> {
  return (await walk(port)) + (await usesTabs(port))
}

/** Uses the tab of a client component, and looks at that of a server component. */
async function usesTabs(port: number): Promise<number> {
  // The name by which `next dev` serves its scripts.
  const url = `http://localhost:${port}/settings`
  await createdInTab(url, 'en')
  const page = await (await sharedChromium()).newPage()
  try {
    await page.context().addCookies([{ name: 'session', value: 'noura', url }])
    await page.goto(`${url}/plain`)
    await new TabPage(page, 'en').words('From the page').first().waitFor()
  } finally {
    await page.context().close()
  }
  return 2
}

function start(home: string, { words, env, onError }: Start): ChildProcess {
  const child = spawn(process.execPath, words, {
    cwd: home,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
    stdio: ['ignore', 'ignore', onError === undefined ? 'inherit' : 'pipe'],
  })
  child.stderr?.on('data', (chunk) => onError?.(String(chunk)))
  return child
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
