import { createApiKeys, OutageError, plans } from 'miftah'
import { createManagementClient } from 'miftah/client'
import { manageKeys, requireKey } from 'miftah/fetch'
import { memoryStorage } from 'miftah/memory'
import { rejection, runGroup, same } from './checks.js'

/* What could differ between runtimes: hashes, timers, and the headers, bodies and requests of the Web. */

const ORIGIN = 'https://host.example'
const USER = { id: 'u_1', name: 'نورة' }
const FIELDS = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }
const NEW_KEY = { workspaceId: 'ws_1', creator: USER, ...FIELDS }

const memory = memoryStorage()
const keys = createApiKeys({ storage: memory, entitlements: () => plans.business })
/** The key of all checks, made by the first: workerd draws no random bytes while a module loads. */
let made
const firstKey = () => {
  made ??= keys.createKey(NEW_KEY)
  return made
}
const bearer = async () => [`Bearer ${(await firstKey()).secret}`]
const guard = requireKey(keys, 'contacts.read')
const manage = manageKeys(keys, { context: () => ({ workspaceId: 'ws_1', user: USER }) })

function requestWith(values, init = {}) {
  const headers = new Headers()
  for (const value of values) headers.append('Authorization', value)
  return new Request(`${ORIGIN}/contacts`, { ...init, headers })
}

function posted(body, headers = {}) {
  const init = { method: 'POST', body, duplex: 'half' }
  const all = { 'content-type': 'application/json', ...headers }
  return manage(new Request(`${ORIGIN}/keys`, { ...init, headers: all }))
}

/** A body that comes as so many pieces of 1,000 bytes. */
function streamed(pieces) {
  const piece = new TextEncoder().encode('x'.repeat(1_000))
  let left = pieces
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close()
      left -= 1
      controller.enqueue(piece)
    },
  })
}

/** `K` stands for the secret of a valid key; values are those of `Authorization`. */
const HEADERS = [
  [[], 401],
  [[''], 401],
  [['Bearer K'], 200],
  [['bearer K'], 200],
  [['  Bearer K \t '], 200],
  [['Bearer\tK'], 400],
  [['Bearer \xe9K'], 400],
  [[`Bearer ${'a'.repeat(8_000)}`], 400],
  [['Bearer K', 'Bearer K'], 400],
  [['Bearer K, Bearer K'], 400],
  [['Bearer svc_live_abc'], 401],
].map(([values, status]) => [
  JSON.stringify(values).slice(0, 40),
  async () => {
    const { secret } = await firstKey()
    const sent = values.map((text) => text.replaceAll('K', secret))
    const response = await guard(() => new Response())(requestWith(sent))
    same([response.status, response.headers.get('vary')], [status, 'Authorization'])
  },
])

const WEB = {
  async 'what is stored is the SHA-256 of the secret, which WebCrypto computes too'() {
    const { key, secret } = await firstKey()
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))
    const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'))
    same((await memory.findByHash(hash.join('')))?.id, key.id)
  },
  async 'a storage that never answers is given up'() {
    const { secret } = await firstKey()
    const storage = { ...memory, findByHash: () => new Promise(() => {}) }
    const options = { storage, entitlements: () => plans.business, storageTimeoutMs: 50 }
    // The deadline alone keeps no process alive.
    const alive = setInterval(() => {}, 1_000)
    const fault = await rejection(createApiKeys(options).authenticateSecret(secret, null))
    clearInterval(alive)
    same(fault instanceof OutageError, true)
  },
  async 'HEAD is answered like GET, without a body'() {
    const refused = await guard(() => new Response())(requestWith([], { method: 'HEAD' }))
    same([refused.status, await refused.text()], [401, ''])
  },
  async 'a response with immutable headers varies too'() {
    const moved = guard(() => Response.redirect(`${ORIGIN}/elsewhere`, 302))
    const { status, headers } = await moved(requestWith(await bearer()))
    same([status, headers.get('vary')], [302, 'Authorization'])
  },
  async 'the body of an accepted request is still to be read'() {
    const echo = guard(async (request) => new Response(await request.text()))
    const response = await echo(requestWith(await bearer(), { method: 'POST', body: 'سلام' }))
    same(await response.text(), 'سلام')
  },
  async 'a body that comes in pieces is counted while reading'() {
    same((await posted(streamed(10))).status, 400)
    same((await posted(streamed(100))).status, 413)
  },
  async 'the own page may, and no other'() {
    const body = JSON.stringify(FIELDS)
    same((await posted(body, { origin: ORIGIN })).status, 201)
    same((await posted(body, { origin: 'https://evil.example' })).status, 403)
    same((await posted(body, { 'sec-fetch-site': 'cross-site' })).status, 403)
  },
}

const CLIENT = {
  async 'the typed client creates and revokes, and throws what was refused'() {
    const fetch = (url, init) => manage(new Request(new URL(url, ORIGIN), init))
    const client = createManagementClient({ baseUrl: ORIGIN, fetch })
    const made = await client.createKey(FIELDS)
    same((await client.revokeKey(made.key.id)).status, 'revoked')
    same((await rejection(client.revokeKey('key_none'))).code, 'key_not_found')
  },
}

export const headers = () => runGroup('Authorization headers', HEADERS)
export const web = () => runGroup('the Web', Object.entries(WEB))
export const client = () => runGroup('the client', Object.entries(CLIENT))
