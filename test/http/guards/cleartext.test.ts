import { beforeEach, describe, expect, test } from 'vitest'
import { restrictedHosts } from '../../support/http/guard-hosts.ts'
import { hostForAll } from '../../support/http/host-for.ts'
import { issueKey, testKeys, USER } from '../../support/http/keys.ts'
import { headerOf, timeless } from '../../support/http/raw-client.ts'
import { get } from '../../support/http/requests.ts'

/** The checksum is right, and no key has it. */
const STRANGER = 'svc_live_000000000000000000000000000000000000000000001xRJ2d'

describe.each(restrictedHosts)('plain HTTP in $name', ({ start }) => {
  const backend = testKeys()
  const host = hostForAll(() => start(backend.keys))
  let secret: string
  let keyId: string

  const bearer = (text: string) => [`Authorization: Bearer ${text}`]
  const ask = (target: string, lines = bearer(secret)) => get(host.port, target, lines)
  const statusOf = async () => (await backend.keys.findKeyBySecret(secret))?.status

  beforeEach(async () => {
    const issued = await issueKey(backend)
    secret = issued.secret
    keyId = issued.key.id
    backend.events.length = 0
  })

  test('is refused with the same bytes, whatever the key, and without a redirect', async () => {
    const { secret: revoked, key } = await issueKey(backend)
    await backend.keys.revokeKey({ workspaceId: 'ws_1', id: key.id, actor: USER })
    const all = [
      bearer(secret),
      bearer(revoked),
      bearer(STRANGER),
      bearer('x'),
      [],
      ['X-API-Key: a'],
    ]
    const answers = []
    for (const lines of all) answers.push(await ask('/refusedinclear', lines))
    const [first] = answers
    if (first === undefined) throw new Error('no answer')
    expect(answers.map(timeless)).toEqual(Array(all.length).fill(timeless(first)))
    expect(first.status).toBe(403)
    expect(headerOf(first, 'location')).toEqual([])
    expect(headerOf(first, 'www-authenticate')).toEqual([])
    expect(headerOf(first, 'cache-control')).toEqual(['no-store'])
    expect(JSON.parse(first.body)).toMatchObject({ status: 403, code: 'https_required' })
    expect(await statusOf()).toBe('active')
  })

  test('reads no key, and says so to onEvent', async () => {
    backend.lookups = 0
    await ask('/refusedinclear')
    expect(backend.lookups).toBe(0)
    expect(backend.events).toMatchObject([
      { type: 'authentication.denied', reason: 'cleartext', keyId: null, workspaceId: null },
    ])
  })

  test('TLS is let through', async () => {
    const response = await ask('/refusedinclear?tls')
    expect(response.status).toBe(200)
    expect(JSON.parse(response.body)).toMatchObject({ keyId })
  })
})
