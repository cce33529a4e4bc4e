import { createServer, type RequestListener } from 'node:http'
import { listen } from '../../support/http/guard-hosts.ts'
import { exchange } from '../../support/http/raw-client.ts'
import { lifecycleOf } from './better-auth-lifecycle.ts'
import { postText } from './post.ts'
import type { Probe, Row, Subject, Verdict } from './subject.ts'

export type Permissions = Readonly<Record<string, readonly string[]>>

/** What is used of better-auth here; its own types are only there when it is installed. */
export interface Opened {
  readonly auth: {
    readonly api: {
      createApiKey(call: { body: object }): Promise<{ id: string; key: string; name: string }>
      verifyApiKey(call: { body: object }): Promise<{ valid: boolean; key: object | null }>
      updateApiKey(call: { body: object }): Promise<unknown>
      listApiKeys(call: { headers: Headers }): Promise<object>
      getApiKey(call: { headers: Headers; query: object }): Promise<object>
    }
  }
  readonly probe: Probe
  readonly users: Readonly<
    Record<'first' | 'second', { readonly id: string; readonly cookie: string }>
  >
  storedKey(id: string): Row
  readonly listener: RequestListener
}

const HELD: Permissions = { contacts: ['read'] }
const BEYOND: Permissions = { contacts: ['read', 'write'] }
const RESEMBLING: readonly Permissions[] = [
  { contacts: ['rea'] },
  { contacts: ['read '] },
  { contacts: ['READ'] },
  { Contacts: ['read'] },
  { contact: ['read'] },
  { contacts: ['*'] },
  { contacts: ['read', 'write'] },
  { constructor: ['name'] },
]

const STORES = {
  database: 'database',
  fallback: 'secondary storage before the database',
  secondary: 'secondary storage alone',
}

/** better-auth with its API-key plugin, keys in its database or in secondary storage alone. */
export async function openBetterAuth(store: keyof typeof STORES): Promise<Subject> {
  const { auth, probe, users, storedKey, listener } = await opened(store)
  const host = await listen(createServer(listener))
  const { api } = auth
  const issueFor = async (userId: string, name = 'CRM sync') => {
    const created = await api.createApiKey({ body: { userId, name, permissions: HELD } })
    return { id: created.id, secret: created.key, name: created.name }
  }
  const check = async (key: unknown, permissions = HELD): Promise<Verdict> => {
    try {
      const { valid } = await api.verifyApiKey({ body: { key, permissions } })
      return valid ? 'accepted' : 'refused'
    } catch (error) {
      return isRefusal(error) ? 'refused' : 'fault'
    }
  }
  const session = [`Cookie: ${users.first.cookie}`, 'Content-Type: application/json', ORIGIN]
  return {
    name: STORES[store],
    probe,
    issue: () => issueFor(users.first.id),
    check: (secret) => check(secret),
    checkResembling: (secret) => Promise.all(RESEMBLING.map((rights) => check(secret, rights))),
    revoke: async (keyId) => {
      await api.updateApiKey({ body: { keyId, userId: users.first.id, enabled: false } })
    },
    principal: async (key) => {
      const answer = await api.verifyApiKey({ body: { key } })
      if (answer.key === null) throw new Error('the key was refused')
      return answer.key
    },
    shown: async (id) => {
      const headers = new Headers({ cookie: users.first.cookie })
      const [list, one] = [api.listApiKeys({ headers }), api.getApiKey({ headers, query: { id } })]
      return JSON.stringify([await list, await one])
    },
    uses: async (id) => Number(storedKey(id)['requestCount']),
    hashOf: async (id) => String(storedKey(id)['key']),
    broken: (row) => ({ ...row, expiresAt: 'tomorrow' }),
    createNamed: async (name) => {
      try {
        return (await issueFor(users.first.id, name)).name
      } catch (error) {
        if (isRefusal(error)) return null
        throw error
      }
    },
    grants: {
      createByPage: () =>
        exchange(host.port, postText(CREATE, session, { name: 'CRM sync', permissions: BEYOND })),
      updateByPage: (keyId) =>
        exchange(host.port, postText(UPDATE, session, { keyId, permissions: BEYOND })),
      createByHost: () =>
        done(api.createApiKey({ body: { userId: users.first.id, permissions: BEYOND } })),
      updateByHost: (keyId) =>
        done(api.updateApiKey({ body: { keyId, userId: users.first.id, permissions: BEYOND } })),
    },
    lifecycle: lifecycleOf({ api, isRefusal, held: HELD, user: users.first }),
    http: {
      port: host.port,
      route: '/api/auth/get-session',
      bodyRoute: CREATE,
      keyLine: (secret) => `x-api-key: ${secret}`,
      session,
      createPath: CREATE,
      createBody: (fields = {}) => ({ name: 'CRM sync', ...fields }),
      end: (keyId) => exchange(host.port, postText('/api/auth/api-key/delete', session, { keyId })),
      issueForeign: () => issueFor(users.second.id),
    },
    close: () => host.close(),
  }
}

const CREATE = '/api/auth/api-key/create'
const UPDATE = '/api/auth/api-key/update'
const ORIGIN = 'Origin: http://127.0.0.1'

/** It says no by throwing an error with a status of its own. */
function isRefusal(error: unknown): boolean {
  const status = Number((error as { readonly statusCode?: unknown }).statusCode)
  return status >= 400 && status < 500
}

/** Whether a call was carried out. */
async function done(call: Promise<unknown>): Promise<boolean> {
  try {
    await call
    return true
  } catch (error) {
    if (isRefusal(error)) return false
    throw error
  }
}

async function opened(store: string): Promise<Opened> {
  // Named at run time: without it, the compiler and the linters still see a whole program.
  const url = new URL('../bench/peers/better-auth-adversary.js', import.meta.url)
  const { open }: { open(store: string): Promise<Opened> } = await import(url.href)
  return open(store)
}
