import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import express from 'express'
import fastify from 'fastify'
import * as onExpress from '../../adapters/http/express.ts'
import * as onFastify from '../../adapters/http/fastify.ts'
import { type SqliteStorage, sqliteStorage } from '../../adapters/storage/sqlite.ts'
import { type ApiKeys, createApiKeys, type Entitlements } from '../../src/index.ts'
import { tabFiles } from './settings-tab/bundle.ts'
import { strictPolicy } from './settings-tab/site.ts'

/** A whole backend with the tab on its page: SQLite file, management routes, guarded API. */
export interface TabHost {
  readonly origin: string
  readonly keys: ApiKeys
  /** What the plans of workspaces allow; a test changes them. */
  readonly plans: Map<string, Entitlements>
  /** Another program at the database, to break and mend it. */
  readonly database: DatabaseSyncInstance
  stop(): Promise<void>
}

/** The frameworks that the stories run on. */
const frameworks = ['Express', 'Fastify'] as const

export type Framework = (typeof frameworks)[number]

const SETTINGS = '/api/settings/api-keys'
const PUBLIC = '/api/public/v1/contacts'

/** Starts a backend on the framework, on a free loopback port, with a database of its own. */
export async function startTabHost(framework: Framework): Promise<TabHost> {
  const folder = await mkdtemp(join(tmpdir(), 'miftah-e2e-'))
  const path = join(folder, 'keys.sqlite')
  const storage = sqliteStorage(path)
  await storage.migrate()
  const plans = new Map<string, Entitlements>()
  const keys = createApiKeys({
    storage,
    entitlements: (workspace) => plans.get(workspace) ?? { publicApi: true, activeKeyLimit: 5 },
    usageFlushMs: 100,
    entitlementsTtlMs: 0,
  })
  const { files } = await tabFiles()
  const scripts = new Map([...files].map(([name, text]) => [`/${name}`, text]))
  const listener = framework === 'Express' ? expressApp(keys, scripts) : fastifyApp(keys, scripts)
  const { origin, close } = await listener
  const database = new DatabaseSync(path)
  const stop = () => stopAll({ close, keys, storage, database, folder })
  return { origin, keys, plans, database, stop }
}

interface Parts {
  readonly close: () => Promise<unknown>
  readonly keys: ApiKeys
  readonly storage: SqliteStorage
  readonly database: DatabaseSyncInstance
  readonly folder: string
}

async function stopAll({ close, keys, storage, database, folder }: Parts): Promise<void> {
  await close()
  await keys.close()
  database.close()
  await storage.close()
  await rm(folder, { recursive: true, force: true })
}

/** The workspace whose name the session cookie holds. */
function signedIn(cookie: string | undefined) {
  const workspaceId = /(?:^|; )session=(\w+)/.exec(cookie ?? '')?.[1]
  return workspaceId === undefined
    ? null
    : { workspaceId, user: { id: 'u_noura', name: 'نورة العتيبي' } }
}

function pageOf(lang: string): string {
  const dir = lang === 'ar' ? 'rtl' : 'ltr'
  return `<!doctype html><html lang="${lang}" dir="${dir}"><meta charset="utf-8"><title>API</title>
<script type="module" src="/settings-tab.js"></script>
<main><h1>API</h1><api-keys-tab base-url="${SETTINGS}"></api-keys-tab></main></html>`
}

async function expressApp(keys: ApiKeys, scripts: ReadonlyMap<string, string>) {
  const app = express()
  const context = (request: express.Request) => signedIn(request.headers.cookie)
  app.use(SETTINGS, onExpress.manageKeys(keys, { context }))
  app.get(PUBLIC, onExpress.requireKey(keys, 'contacts.read'), (request, response) => {
    response.json({ workspace: request.apiKey?.workspaceId })
  })
  for (const [path, script] of scripts) {
    app.get(path, (_request, response) => void response.type('js').send(script))
  }
  app.get('/:lang', (request, response) => {
    response.set('Content-Security-Policy', strictPolicy).send(pageOf(request.params.lang))
  })
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

async function fastifyApp(keys: ApiKeys, scripts: ReadonlyMap<string, string>) {
  const app = fastify({ forceCloseConnections: true })
  const context = (request: { headers: { cookie?: string | undefined } }) =>
    signedIn(request.headers.cookie)
  await app.register(onFastify.manageKeys(keys, { context }), { prefix: SETTINGS })
  const onRequest = onFastify.requireKey(keys, 'contacts.read')
  app.get(PUBLIC, { onRequest }, async (request) => ({ workspace: request.apiKey?.workspaceId }))
  for (const [path, script] of scripts) {
    app.get(path, (_request, reply) => reply.type('text/javascript').send(script))
  }
  app.get<{ Params: { lang: string } }>('/:lang', (request, reply) =>
    reply
      .type('text/html')
      .header('Content-Security-Policy', strictPolicy)
      .send(pageOf(request.params.lang)),
  )
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  return { origin, close: () => app.close() }
}
