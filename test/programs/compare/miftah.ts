import express from 'express'
import { manageKeys, requireKey } from '../../../adapters/http/express.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { ApiKeyError, type ApiKeys, createApiKeys, plans } from '../../../src/index.ts'
import type { KeyStorage, StorageVerb } from '../../../src/storage/index.ts'
import { listen } from '../../support/http/guard-hosts.ts'
import { exchange } from '../../support/http/raw-client.ts'
import { keyInput } from '../../support/world.ts'
import { done, lifecycleOf } from './miftah-lifecycle.ts'
import { postText } from './post.ts'
import { MOST_DAYS, type Probe, type Row, type Subject, type Verdict } from './subject.ts'

const USER = { id: 'u_1', name: 'First' }
/** What the first user may give. */
const GRANTABLE = {
  scopes: ['contacts.read', 'campaigns.read'],
  resources: 'all',
  networks: 'any',
  environments: ['live'],
} as const
const BEYOND = ['contacts.read', 'contacts.write'] as const
const USERS = new Map([
  ['session=first', { workspaceId: 'ws_1', user: USER, grantable: GRANTABLE }],
  [
    'session=second',
    { workspaceId: 'ws_2', user: { id: 'u_2', name: 'Second' }, grantable: GRANTABLE },
  ],
])
const PLAN = { ...plans.enterprise, maxLifetimeSeconds: MOST_DAYS * 86_400 }
const NEW_KEY = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }
const SESSION = ['Cookie: session=first', 'Content-Type: application/json']
const RESEMBLING = ['contacts.rea', 'contacts.read ', 'CONTACTS.READ', 'contacts', '*', '__proto__']

/** miftah on its memory storage, behind Express. */
export async function openMiftah(): Promise<Subject> {
  const probe: Probe = { lookups: 0, beforeLookup: async () => {}, answer: (row) => row }
  const stored = memoryStorage()
  const keys = createApiKeys({
    storage: watched(stored, probe),
    entitlements: () => PLAN,
    storageTimeoutMs: 500,
    now: () => new Date(),
  })
  const host = await listen(appOf(keys))
  const issueIn = async (workspaceId: string, name = 'CRM sync') => {
    const fields = { name, environment: 'live', scopes: ['contacts.read'] } as const
    const { key, secret } = await keys.createKey({ workspaceId, creator: USER, ...fields })
    return { id: key.id, secret }
  }
  const record = async (id: string) => {
    const found = await stored.findById('ws_1', id)
    if (found === null) throw new Error('there is no such key')
    return found
  }
  return {
    name: 'miftah',
    probe,
    issue: () => issueIn('ws_1'),
    check: (secret) => verdictOf(keys, headerOf(secret), 'contacts.read'),
    checkResembling: (secret) =>
      Promise.all(RESEMBLING.map((scope) => verdictOf(keys, `Bearer ${secret}`, scope))),
    revoke: async (id) => void (await keys.revokeKey({ workspaceId: 'ws_1', id, actor: USER })),
    principal: async (secret) => {
      const auth = await keys.authenticate(`Bearer ${secret}`, null)
      if (!auth.ok) throw new Error(auth.reason)
      return auth.key
    },
    shown: async () => JSON.stringify(await keys.listKeys({ workspaceId: 'ws_1' })),
    uses: async (id) => {
      await keys.flush()
      return (await record(id)).uses
    },
    hashOf: async (id) => (await record(id)).hash,
    broken: (row) => ({ ...row, revokedAtMs: Number.NaN }),
    createNamed: async (name) => {
      try {
        return (await record((await issueIn('ws_1', name)).id)).name
      } catch (error) {
        if (error instanceof ApiKeyError) return null
        throw error
      }
    },
    grants: {
      createByPage: () =>
        exchange(
          host.port,
          postText('/api/settings/keys', SESSION, { ...NEW_KEY, scopes: BEYOND }),
        ),
      updateByPage: (id) => exchange(host.port, patchText(id)),
      createByHost: () => done(keys.createKey(keyInput({ scopes: BEYOND, grantable: GRANTABLE }))),
      updateByHost: (id) =>
        done(
          keys.updateKey({
            ...{ workspaceId: 'ws_1', id, actor: USER, version: 1 },
            ...{ change: { scopes: BEYOND }, grantable: GRANTABLE },
          }),
        ),
    },
    lifecycle: lifecycleOf(keys, USER),
    http: {
      port: host.port,
      route: '/contacts',
      bodyRoute: '/contacts',
      keyLine: (secret) => `Authorization: Bearer ${secret}`,
      session: SESSION,
      createPath: '/api/settings/keys',
      createBody: (fields = {}) => ({ ...NEW_KEY, ...fields }),
      end: (id) => exchange(host.port, postText(`/api/settings/keys/${id}/revoke`, SESSION, {})),
      issueForeign: () => issueIn('ws_2'),
    },
    close: async () => {
      await host.close()
      await keys.close()
    },
  }
}

/** A PATCH that adds the right. */
function patchText(id: string): string {
  const lines = ['Cookie: session=first', 'Content-Type: application/merge-patch+json']
  const text = postText(`/api/settings/keys/${id}`, [...lines, 'If-Match: "1"'], {
    scopes: BEYOND,
  })
  return text.replace('POST', 'PATCH')
}

/** A value that is no text is handed on as it is, the way a host would hand on a header. */
function headerOf(secret: unknown): unknown {
  return typeof secret === 'string' ? `Bearer ${secret}` : secret
}

async function verdictOf(keys: ApiKeys, header: unknown, scope: string): Promise<Verdict> {
  try {
    const auth = await keys.authenticate(header as string, scope as 'contacts.read')
    return auth.ok ? 'accepted' : 'refused'
  } catch (error) {
    return isRefusal(error) ? 'refused' : 'fault'
  }
}

/** What is no text is a mistake of the program, which `authenticate` throws. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ApiKeyError) return true
  return error instanceof TypeError && error.message.startsWith('authenticate takes')
}

function appOf(keys: ApiKeys) {
  const app = express()
  const context = (request: express.Request) => USERS.get(request.headers.cookie ?? '')
  app.use('/api/settings', manageKeys(keys, { context }))
  app.all('/contacts', requireKey(keys, 'contacts.read'), (_req, res) => void res.json([]))
  return app
}

/** The storage, with each look-up by hash counted and open to a case. */
function watched(storage: KeyStorage, probe: Probe): KeyStorage {
  const findByHash = async (hash: string) => {
    probe.lookups += 1
    await probe.beforeLookup()
    return probe.answer((await storage.findByHash(hash)) as Row | null)
  }
  return new Proxy(storage, {
    get: (target, verb: StorageVerb) =>
      verb === 'findByHash' ? findByHash : target[verb]?.bind(target),
  })
}
