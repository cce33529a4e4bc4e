import { plans } from 'miftah'
import { requireKey } from 'miftah/fetch'
import { holds, rejection, same } from './checks.js'
import { action, keyInput, openWorld } from './world.js'

const URL_OF_ROUTE = 'https://host.example/contacts'
const many = (text, count) => text.repeat(count)

/** `K` stands for the secret of a valid key; values are those of `Authorization`. */
const CASES = [
  ['no header', [], 'missing'],
  ['an empty header', [''], 'missing'],
  ['another scheme', ['Basic dTpw'], 'missing'],
  ['Digest with commas', ['Digest a="b", c="d"'], 'missing'],
  ['a scheme that only begins so', ['BearerX K'], 'missing'],
  ['a colon after the scheme', ['Bearer: K'], 'missing'],
  ['the secret without a scheme', ['K'], 'missing'],
  ['the plain form', ['Bearer K'], 'accepted'],
  ['a lower-case scheme', ['bearer K'], 'accepted'],
  ['eight spaces', [`Bearer${many(' ', 8)}K`], 'accepted'],
  ['space around the value', ['  Bearer K \t '], 'accepted'],
  ['nine spaces', [`Bearer${many(' ', 9)}K`], 'invalid_request'],
  ['a TAB after the scheme', ['Bearer\tK'], 'invalid_request'],
  ['no token', ['Bearer'], 'invalid_request'],
  ['something after the key', ['Bearer K x'], 'invalid_request'],
  ['a comma after the key', ['Bearer K,'], 'invalid_request'],
  ['Latin-1 bytes', ['Bearer \xe9K'], 'invalid_request'],
  ['8 KB', [`Bearer ${many('a', 8_000)}`], 'invalid_request'],
  ['two keys joined by a proxy', ['Bearer K, Bearer K'], 'invalid_request'],
  ['a key behind another scheme', ['Basic eA==, bearer K'], 'invalid_request'],
  ['the header twice', ['Bearer K', 'Bearer K'], 'invalid_request'],
  ['Basic and then the key', ['Basic eA==', 'Bearer K'], 'invalid_request'],
  ['not our shape', ['Bearer abc'], 'invalid_token'],
  ['a quoted key', ['Bearer "K"'], 'invalid_token'],
  ['a key cut short', ['Bearer svc_live_abc'], 'invalid_token'],
]

const STATUS = { missing: 401, invalid_request: 400, invalid_token: 401, accepted: 200 }

function requestWith(values, init = {}) {
  const headers = new Headers(init.headers)
  for (const value of values) headers.append('Authorization', value)
  return new Request(URL_OF_ROUTE, { ...init, headers })
}

async function setUp() {
  const world = openWorld()
  const { key, secret } = await world.keys.createKey(keyInput())
  const guard = requireKey(world.keys, 'contacts.read')
  const handler = guard((_request, { apiKey }, ...rest) =>
    Response.json({ id: apiKey.id, frozen: Object.isFrozen(apiKey), rest }),
  )
  return { world, key, secret, guard, handler }
}

export async function headerCases(group) {
  const { handler, secret } = await setUp()
  for (const [name, values, code] of CASES) {
    await group.check(`${name}: ${code}`, async () => {
      const response = await handler(
        requestWith(values.map((text) => text.replaceAll('K', secret))),
      )
      const body = await response.text()
      same([response.status, response.headers.get('vary')], [STATUS[code], 'Authorization'])
      holds(!body.includes(secret), 'the secret is not in the answer')
      if (code !== 'accepted') checkRefusal(response, JSON.parse(body), code)
    })
  }
}

function checkRefusal({ headers, status }, body, code) {
  same([body.status, body.code], [status, code])
  same(headers.get('content-type'), 'application/problem+json')
  same(headers.get('cache-control'), 'no-store')
  const error = code === 'missing' ? '' : `, error="${code}"`
  same(headers.get('www-authenticate'), `Bearer realm="api"${error}`)
}

export async function verdicts(group) {
  const { world, handler, key, secret, guard } = await setUp()
  const { keys } = world
  const call = (token = secret, init = {}) => handler(requestWith([`Bearer ${token}`], init))

  await group.check('the handler gets the frozen key and what else the host passes', async () => {
    const response = await handler(requestWith([`Bearer ${secret}`]), { env: 1 })
    same(await response.json(), { id: key.id, frozen: true, rest: [{ env: 1 }] })
  })
  await group.check('malformed, unknown and revoked keys get the same bytes', async () => {
    const gone = await keys.createKey(keyInput())
    await keys.revokeKey(action(gone.key.id))
    const stranger = (await setUp()).secret
    const answers = []
    for (const token of ['nonsense', stranger, gone.secret]) {
      const response = await call(token)
      answers.push(JSON.stringify([response.status, [...response.headers], await response.text()]))
    }
    same(new Set(answers).size, 1)
  })
  await group.check('a key without the scope: 403 that names the scope', async () => {
    const other = await keys.createKey(keyInput({ scopes: ['messages.send'] }))
    const response = await call(other.secret)
    const wanted = 'Bearer realm="api", error="insufficient_scope", scope="contacts.read"'
    same([response.status, response.headers.get('www-authenticate')], [403, wanted])
  })
  await group.check('a workspace without the API: 403 without a challenge', async () => {
    world.plan = plans.none
    const response = await call()
    world.plan = plans.enterprise
    same([response.status, response.headers.get('www-authenticate')], [403, null])
    same((await response.json()).code, 'plan_required')
  })
  await group.check('an outage: 503 with Retry-After, and then the key works again', async () => {
    world.outage = true
    const down = await call()
    world.outage = false
    same([down.status, down.headers.get('retry-after')], [503, '1'])
    holds(!(await down.text()).includes('refused'), 'the cause is not told')
    same((await call()).status, 200)
  })
  await group.check('HEAD is answered like GET, without a body', async () => {
    const refused = await handler(requestWith([], { method: 'HEAD' }))
    same([refused.status, await refused.text()], [401, ''])
  })
  await group.check('a preflight is neither checked nor let through', async () => {
    const headers = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' }
    const response = await handler(requestWith([], { method: 'OPTIONS', headers }))
    same([response.status, await response.text()], [204, ''])
    holds(!response.headers.has('access-control-allow-origin'), 'no CORS header')
  })
  await group.check('Vary is added to what the handler varies on', async () => {
    const varied = guard(() => Response.json({}, { headers: { Vary: 'Origin' } }))
    const response = await varied(requestWith([`Bearer ${secret}`]))
    same(response.headers.get('vary'), 'Origin, Authorization')
  })
  await group.check('a response with immutable headers varies too', async () => {
    const moved = guard(() => Response.redirect('https://host.example/elsewhere', 302))
    const response = await moved(requestWith([`Bearer ${secret}`]))
    same([response.status, response.headers.get('vary')], [302, 'Authorization'])
    same(response.headers.get('location'), 'https://host.example/elsewhere')
  })
  await group.check('the body of an accepted request is still to be read', async () => {
    const echo = guard(async (request) => new Response(await request.text()))
    const request = requestWith([`Bearer ${secret}`], { method: 'POST', body: 'سلام' })
    same(await (await echo(request)).text(), 'سلام')
  })
  await group.check('a misspelt scope throws when the route is mounted', async () => {
    const mount = async () => requireKey(keys, 'contacts.raed')
    same((await rejection(mount())).code, 'unknown_scope')
  })
}
