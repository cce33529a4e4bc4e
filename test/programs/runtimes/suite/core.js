import { ApiKeyError, createApiKeys, defineScopes, OutageError, plans } from 'miftah'
import { memoryStorage } from 'miftah/memory'
import { holds, rejection, same } from './checks.js'
import { action, keyInput, openWorld, WORKSPACE } from './world.js'

const SECRET = /^svc_(live|test)_[0-9A-Za-z]{46}$/

/** SHA-256 by the runtime's WebCrypto, which miftah does not use. */
async function webCryptoHex(text) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export async function minting(group) {
  const { keys, hashes } = openWorld()
  await group.check('300 secrets have the form, and none comes twice', async () => {
    const secrets = new Set()
    for (let at = 0; at < 300; at += 1) {
      const environment = at % 2 === 0 ? 'live' : 'test'
      const { key, secret } = await keys.createKey(keyInput({ environment }))
      holds(SECRET.test(secret) && secret.startsWith(`svc_${environment}_`), secret.slice(0, 9))
      same(key.prefix, secret.slice(0, 12))
      secrets.add(secret)
    }
    same(secrets.size, 300)
  })
  await group.check('what is stored is the SHA-256 of the secret', async () => {
    hashes.length = 0
    for (let at = 0; at < 50; at += 1) {
      const { secret } = await keys.createKey(keyInput())
      same(hashes.at(-1), await webCryptoHex(secret))
    }
    same(hashes.length, 50)
  })
  await group.check('another brand', async () => {
    const options = { storage: memoryStorage(), entitlements: () => plans.business, brand: 'acme' }
    const { secret } = await createApiKeys(options).createKey(keyInput())
    holds(/^acme_live_[0-9A-Za-z]{46}$/.test(secret), 'the form')
  })
}

export async function authentication(group) {
  const { keys } = openWorld()
  const { key, secret } = await keys.createKey(keyInput())
  const swapped = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0')
  const cases = [
    ['the key', `Bearer ${secret}`, 'contacts.read', 'ok'],
    ['any scope', `bearer ${secret}`, null, 'ok'],
    ['another scope', `Bearer ${secret}`, 'messages.send', 'insufficient_scope'],
    ['nothing', null, null, 'missing'],
    ['another scheme', 'Basic eA==', null, 'missing'],
    ['two keys', `Bearer ${secret}, Bearer ${secret}`, null, 'invalid_request'],
    ['not our shape', 'Bearer abc', null, 'malformed'],
    ['a wrong checksum', `Bearer ${swapped}`, null, 'malformed'],
    ['a key of elsewhere', `Bearer ${await secretOfElsewhere()}`, null, 'unknown'],
  ]
  for (const [name, header, scope, verdict] of cases) {
    await group.check(`${name}: ${verdict}`, async () => {
      const answer = await keys.authenticate(header, scope)
      same(answer.ok ? 'ok' : answer.reason, verdict)
      if (answer.ok) {
        same(answer.key.id, key.id)
        holds(Object.isFrozen(answer.key), 'the key is frozen')
        holds(!JSON.stringify(answer).includes(secret), 'the secret is not in the answer')
      }
    })
  }
}

async function secretOfElsewhere() {
  const { secret } = await openWorld().keys.createKey(keyInput())
  return secret
}

export async function lifeCycle(group) {
  const world = openWorld()
  const { keys } = world
  const first = await keys.createKey(keyInput())
  await group.check('a rotation: the old key stops and the new one works', async () => {
    const next = await keys.rotateKey(action(first.key.id))
    same([next.replaced.status, next.key.name], ['revoked', 'CRM sync (rotated)'])
    same((await keys.authenticate(`Bearer ${first.secret}`, null)).reason, 'revoked')
    same((await keys.authenticate(`Bearer ${next.secret}`, 'contacts.read')).ok, true)
  })
  await group.check('a revoked key is refused, and revoking again changes nothing', async () => {
    const { key, secret } = await keys.createKey(keyInput())
    const once = await keys.revokeKey(action(key.id))
    same(await keys.revokeKey(action(key.id)), once)
    same((await keys.authenticate(`Bearer ${secret}`, null)).reason, 'revoked')
    same((await rejection(keys.rotateKey(action(key.id)))).code, 'key_revoked')
  })
  await group.check('the list, newest first, page by page', async () => {
    const seen = []
    let cursor = null
    do {
      const page = await keys.listKeys({
        workspaceId: WORKSPACE,
        limit: 1,
        ...(cursor && { cursor }),
      })
      seen.push(...page.keys.map((key) => key.id))
      cursor = page.nextCursor
    } while (cursor !== null)
    const whole = await keys.listKeys({ workspaceId: WORKSPACE })
    same([seen.length, seen], [3, whole.keys.map((key) => key.id)])
    same(whole.activeKeys, 1)
  })
  await group.check('another workspace sees nothing', async () => {
    const error = await rejection(keys.revokeKey(action(first.key.id, 'ws_2')))
    holds(error instanceof ApiKeyError, 'it is an ApiKeyError')
    same(error.code, 'key_not_found')
    same((await keys.listKeys({ workspaceId: 'ws_2' })).keys.length, 0)
  })
  await group.check('every change is in the audit log', async () => {
    const { events } = await keys.listEvents({ workspaceId: WORKSPACE })
    const told = world.events.map(({ type }) => type).filter((type) => type.startsWith('api_key.'))
    const kept = events.map(({ type }) => type)
    same([kept.length, kept], [4, told.filter((type) => type !== 'api_key.denied')])
  })
}

export async function limits(group) {
  const world = openWorld()
  world.plan = plans.business
  await group.check('of 50 creates at once exactly five are done', async () => {
    const attempts = Array.from({ length: 50 }, () => world.keys.createKey(keyInput()))
    const outcomes = await Promise.allSettled(attempts)
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    same(refused.length, 45)
    same([...new Set(refused.map(({ reason }) => reason.code))], ['active_key_limit_reached'])
  })
  await group.check('of 20 rotations at once one is done', async () => {
    const [key] = (await world.keys.listKeys({ workspaceId: WORKSPACE })).keys
    const attempts = Array.from({ length: 20 }, () => world.keys.rotateKey(action(key.id)))
    const outcomes = await Promise.allSettled(attempts)
    same(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  })
  await group.check('a plan without the API', async () => {
    world.plan = plans.none
    same((await rejection(world.keys.createKey(keyInput()))).code, 'plan_required')
  })
}

export async function failures(group) {
  const world = openWorld()
  await group.check('bad input is told field by field', async () => {
    const error = await rejection(
      world.keys.createKey(keyInput({ name: '', scopes: ['nonsense'] })),
    )
    same(
      [error.code, error.issues.map(({ path }) => path[0])],
      ['invalid_input', ['name', 'scopes']],
    )
  })
  await group.check('an outage is a OutageError, and passes', async () => {
    const { secret } = await world.keys.createKey(keyInput())
    world.outage = true
    const fault = await rejection(world.keys.authenticate(`Bearer ${secret}`, null))
    world.outage = false
    holds(fault instanceof OutageError, 'it is a OutageError')
    same((await world.keys.authenticate(`Bearer ${secret}`, null)).ok, true)
  })
  await group.check('a storage that never answers is given up', async () => {
    const storage = memoryStorage()
    storage.findByHash = () => new Promise(() => {})
    const options = { storage, entitlements: () => plans.business, storageTimeoutMs: 50 }
    const { secret } = await world.keys.createKey(keyInput())
    // The deadline alone keeps no process alive.
    const alive = setInterval(() => {}, 1_000)
    const fault = await rejection(createApiKeys(options).authenticate(`Bearer ${secret}`, null))
    clearInterval(alive)
    holds(fault instanceof OutageError, 'it is a OutageError')
  })
  await group.check('a catalogue of the host’s own', async () => {
    const label = { en: 'Read', ar: 'قراءة' }
    const catalogue = defineScopes([{ id: 'g', label, scopes: [{ scope: 'a.read', label }] }])
    const storage = memoryStorage()
    const keys = createApiKeys({ storage, entitlements: () => plans.business, catalogue })
    const { secret } = await keys.createKey(keyInput({ scopes: ['a.read'] }))
    same((await keys.authenticate(`Bearer ${secret}`, 'a.read')).ok, true)
    same(
      (await rejection(keys.authenticate(`Bearer ${secret}`, 'contacts.read'))).code,
      'unknown_scope',
    )
  })
}

export async function usage(group) {
  await group.check('uses are counted and written at the end', async () => {
    const world = openWorld()
    const { key, secret } = await world.keys.createKey(keyInput())
    for (let at = 0; at < 7; at += 1) await world.keys.authenticate(`Bearer ${secret}`, null)
    await world.keys.flush()
    const [{ uses }] = (await world.keys.listKeys({ workspaceId: WORKSPACE })).keys
    same([uses, world.uses.length, world.uses[0].uses[0].id], [7, 1, key.id])
  })
  await group.check('uses are written by themselves after the interval', async () => {
    const storage = memoryStorage()
    const keys = createApiKeys({ storage, entitlements: () => plans.business, usageFlushMs: 20 })
    const { key, secret } = await keys.createKey(keyInput())
    await keys.authenticate(`Bearer ${secret}`, null)
    for (let at = 0; at < 100; at += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10))
      if ((await storage.findById(WORKSPACE, key.id)).uses === 1) return
    }
    throw new Error('not written in a second')
  })
  await group.check('after close nothing is done any more', async () => {
    const { keys } = openWorld()
    await keys.close()
    same((await rejection(keys.createKey(keyInput()))).code, 'closed')
  })
}
