import { createApiKeys, OutageError, plans } from 'miftah'
import { memoryStorage } from 'miftah/memory'
import { holds, rejection, same } from './checks.js'
import { keyInput, openWorld, WORKSPACE } from './world.js'

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

export async function failures(group) {
  const world = openWorld()
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
      const query = { workspaceId: WORKSPACE, ids: [key.id], eventIds: [] }
      const { keys: found } = await storage.read({ ...query, countAtMs: null, countUpTo: null })
      if (found[0].usage.uses === 1) return
    }
    throw new Error('not written in a second')
  })
  await group.check('after close nothing is done any more', async () => {
    const { keys } = openWorld()
    await keys.close()
    same((await rejection(keys.createKey(keyInput()))).code, 'closed')
  })
}
