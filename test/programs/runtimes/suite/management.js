import { defaultCatalogue } from 'miftah'
import { createManagementClient } from 'miftah/client'
import { manageKeys } from 'miftah/fetch'
import { holds, rejection, same } from './checks.js'
import { openWorld, USER, WORKSPACE } from './world.js'

const ORIGIN = 'https://host.example'
const BASE = '/api/settings'
const NEW_KEY = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }

function setUp() {
  const world = openWorld()
  const manage = manageKeys(world.keys, {
    basePath: BASE,
    context: (request) => {
      const session = request.headers.get('x-session')
      if (session === 'viewer') return 'forbidden'
      return session === 'noura' ? { workspaceId: WORKSPACE, user: USER } : null
    },
  })
  const call = (path, { method = 'GET', session = 'noura', headers = {}, body } = {}) =>
    manage(
      new Request(`${ORIGIN}${BASE}${path}`, {
        method,
        headers: { 'x-session': session, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
  const post = (path, body = {}, rest = {}) => call(path, { method: 'POST', body, ...rest })
  return { ...world, manage, call, post }
}

export async function operations(group) {
  const { keys, call, post } = setUp()
  const created = await post('/keys', NEW_KEY)
  const { key, secret } = await created.json()
  await group.check('a key is created, and works', async () => {
    same([created.status, created.headers.get('location')], [201, `${BASE}/keys/${key.id}`])
    same([key.name, key.creator], [NEW_KEY.name, USER])
    same((await keys.authenticate(`Bearer ${secret}`, 'contacts.read')).ok, true)
  })
  await group.check('answers are not to be kept', async () => {
    const { headers } = await call('/keys')
    same(headers.get('cache-control'), 'no-store')
    same(headers.get('x-content-type-options'), 'nosniff')
    same(headers.get('referrer-policy'), 'no-referrer')
  })
  await group.check('the list has the key and neither secret nor hash', async () => {
    const text = await (await call('/keys?status=active&limit=10')).text()
    same(
      JSON.parse(text).keys.map(({ id }) => id),
      [key.id],
    )
    holds(!text.includes(secret) && !text.includes('"hash"'), 'no secret, no hash')
  })
  await group.check('rotate, revoke, and revoke again', async () => {
    const rotated = await (await post(`/keys/${key.id}/rotate`)).json()
    same([rotated.replaced.id, rotated.replaced.status], [key.id, 'revoked'])
    const path = `/keys/${rotated.key.id}/revoke`
    const [once, twice] = [await post(path), await post(path)]
    same([once.status, await once.json()], [200, await twice.json()])
    same((await keys.authenticate(`Bearer ${rotated.secret}`, null)).reason, 'revoked')
  })
  await group.check('the catalogue', async () => {
    const { groups } = await (await call('/scopes')).json()
    same(groups.flatMap(({ scopes }) => scopes).length, defaultCatalogue.scopes.length)
  })
}

export async function refusals(group) {
  const { call, post, manage } = setUp()
  const cases = [
    ['nobody', () => call('/keys', { session: 'none' }), 401, 'unauthenticated'],
    ['someone who may not', () => call('/keys', { session: 'viewer' }), 403, 'forbidden'],
    ['no such route', () => call('/nothing'), 404, 'not_found'],
    ['a wrong method', () => call('/keys', { method: 'DELETE' }), 405, 'method_not_allowed'],
    ['no such key', () => post('/keys/key_none/revoke'), 404, 'key_not_found'],
    ['bad fields', () => post('/keys', { ...NEW_KEY, name: '' }), 422, 'invalid_input'],
    ['an unknown field', () => post('/keys', { ...NEW_KEY, workspaceId: 'ws_2' }), 422, null],
    ['broken JSON', () => post('/keys', '{'), 400, null],
    ['a body too large', () => post('/keys', `"${'a'.repeat(70_000)}"`), 413, null],
    ['a form', () => post('/keys', 'a=b', formOf('application/x-www-form-urlencoded')), 415, null],
    ['another site', () => post('/keys', NEW_KEY, fromSite('cross-site')), 403, null],
    ['a sibling site', () => post('/keys', NEW_KEY, fromSite('same-site')), 403, null],
    ['another origin', () => post('/keys', NEW_KEY, fromOrigin('https://evil.example')), 403, null],
  ]
  for (const [name, send, status, code] of cases) {
    await group.check(`${name}: ${status}`, async () => {
      const response = await send()
      const body = await response.json()
      same([response.status, body.status], [status, status])
      same(response.headers.get('content-type'), 'application/problem+json')
      if (code !== null) same(body.code, code)
    })
  }
  await group.check('the own page may', async () => {
    same((await post('/keys', NEW_KEY, fromOrigin(ORIGIN))).status, 201)
    same((await post('/keys', NEW_KEY, fromSite('same-origin'))).status, 201)
  })
  await group.check('a body that comes in pieces is counted while reading', async () => {
    same((await manage(streamed(10))).status, 400)
    same((await manage(streamed(100))).status, 413)
  })
}

const formOf = (type) => ({ headers: { 'content-type': type } })
const fromSite = (site) => ({ headers: { 'sec-fetch-site': site } })
const fromOrigin = (origin) => ({ headers: { origin } })

/** A request whose body comes as so many pieces of 1,000 bytes. */
function streamed(pieces) {
  const piece = new TextEncoder().encode('x'.repeat(1_000))
  let left = pieces
  const body = new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close()
      left -= 1
      controller.enqueue(piece)
    },
  })
  const headers = { 'x-session': 'noura', 'content-type': 'application/json' }
  return new Request(`${ORIGIN}${BASE}/keys`, { method: 'POST', headers, body, duplex: 'half' })
}

export async function client(group) {
  const { manage } = setUp()
  const fetch = (url, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('x-session', 'noura')
    return manage(new Request(new URL(url, ORIGIN), { ...init, headers }))
  }
  const management = createManagementClient({ baseUrl: `${ORIGIN}${BASE}`, fetch })
  await group.check('the typed client creates, lists and revokes', async () => {
    const { key } = await management.createKey(NEW_KEY)
    same(
      (await management.listKeys()).keys.map(({ id }) => id),
      [key.id],
    )
    same((await management.revokeKey(key.id)).status, 'revoked')
  })
  await group.check('the typed client throws what was refused', async () => {
    same((await rejection(management.revokeKey('key_none'))).code, 'key_not_found')
  })
}
