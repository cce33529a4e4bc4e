import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { revokeBySecret } from '../../../adapters/http/fetch.ts'
import { checkerOf } from '../../../src/http/index.ts'
import { OutageError } from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import { bytesOf, endpointHosts, postForm } from '../../support/http/endpoint-hosts.ts'
import { hostForAll } from '../../support/http/host-for.ts'
import { issueKey, testKeys, USER } from '../../support/http/keys.ts'

const TOO_LARGE = [
  ['more than 64 KiB', `token=${'a'.repeat(65_536)}`, 413],
  ['a megabyte', `token=${'a'.repeat(1_048_576)}`, 413],
] as const

describe.each(endpointHosts)('revocation by the holder in $name', ({ start, parsesFirst }) => {
  const world = testKeys({
    formats: [{ id: 'old', test: (text) => text.startsWith('old_'), digest: (text) => text }],
  })
  const errors: unknown[] = []
  const host = hostForAll(() =>
    start(world.keys, { revocation: { onError: (error) => errors.push(error) } }),
  )
  let url: string

  beforeAll(async () => {
    url = `http://127.0.0.1:${host.port}/revoke`
  })
  beforeEach(() => {
    errors.length = 0
    world.outage = false
    world.lostAnswer = null
    world.plans.clear()
  })

  const revoke = (token: string) => postForm(url, [['token', token]])
  const accepts = async (secret: string) =>
    (await world.keys.authenticate(`Bearer ${secret}`, null)).ok

  test('revokes the key, whatever its plan, and says who and why', async () => {
    const { key, secret } = await issueKey(world)
    const other = await issueKey(world)
    world.plans.set('ws_1', { publicApi: false, activeKeyLimit: 0 })
    expect((await revoke(secret)).status).toBe(200)
    world.plans.clear()
    expect([await accepts(secret), await accepts(other.secret)]).toEqual([false, true])
    const { events } = await world.keys.listEvents({ workspaceId: 'ws_1' })
    const revocations = events.filter(({ type }) => type === 'api_key.revoked')
    expect(revocations).toEqual([
      expect.objectContaining({
        keyId: key.id,
        actor: { id: 'miftah:holder', name: 'Holder of the key' },
        data: expect.objectContaining({ reason: 'reported' }),
      }),
    ])
  })

  test('the same bytes whether there was a key or not', async () => {
    const [fresh, paused, retiring] = await Promise.all([
      issueKey(world),
      issueKey(world),
      issueKey(world),
    ])
    const action = { workspaceId: 'ws_1', actor: USER }
    await world.keys.pauseKey({ ...action, id: paused.key.id })
    await world.keys.rotateKey({ ...action, id: retiring.key.id, overlapSeconds: 600 })
    const answers = [
      await revoke(fresh.secret),
      await revoke(fresh.secret),
      await revoke(paused.secret),
      await revoke(retiring.secret),
      await revoke(mintSecret('svc', 'live')),
      await revoke('nonsense'),
      await revoke('old_key'),
      await revoke('مفتاح'),
      await revoke('x'.repeat(60_000)),
      await postForm(url, [
        ['token', fresh.secret],
        ['token_type_hint', 'access_token'],
      ]),
    ]
    expect(new Set(answers.map(bytesOf)).size).toBe(1)
    expect([answers[0]?.status, answers[0]?.text]).toEqual([200, ''])
    expect(answers[0]?.headers.get('cache-control')).toBe('no-store')
    const secrets = [fresh, paused, retiring].map(({ secret }) => secret)
    expect(await Promise.all(secrets.map(accepts))).toEqual([false, false, false])
    expect(errors).toEqual([])
  })

  test.each([
    ['no token', 'tok=a', 400],
    ['two tokens', 'token=a&token=b', 400],
    // A parser of the host's has limits of its own.
    ...(parsesFirst ? [] : TOO_LARGE),
  ] as const)('refuses %s, without a look-up', async (_name, form, status) => {
    const before = world.lookups
    const answer = await postForm(url, form)
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([status, 'invalid_request'])
    expect(world.lookups).toBe(before)
  })

  test('a secret in the query is not read', async () => {
    const { secret } = await issueKey(world)
    expect((await postForm(`${url}?token=${secret}`, '')).status).toBe(400)
    const response = await fetch(`${url}?token=${secret}`)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await accepts(secret)).toBe(true)
  })

  test('no 200 while it is not known to hold', async () => {
    const { secret } = await issueKey(world)
    world.outage = true
    const failed = await revoke(secret)
    expect([failed.status, JSON.parse(failed.text).error]).toEqual([503, 'temporarily_unavailable'])
    expect(failed.headers.get('retry-after')).toBe('1')
    world.outage = false
    world.lostAnswer = new Error('the connection was lost')
    expect((await revoke(secret)).status).toBe(503)
    expect(errors).toEqual([expect.any(OutageError), expect.any(OutageError)])
    world.lostAnswer = null
    expect((await revoke(secret)).status).toBe(200)
    expect(await accepts(secret)).toBe(false)
  })
})

test('1,000 at once: 16 are worked on, the others get 503, and then it works again', async () => {
  const world = testKeys({ storageTimeoutMs: 60_000 })
  const { secret } = await issueKey(world)
  const revoke = revokeBySecret(world.keys, { onError: () => {} })
  const send = async (token: string) => {
    const body = new URLSearchParams({ token })
    return (await revoke(new Request('https://a.example', { method: 'POST', body }))).status
  }
  const waiting: (() => void)[] = []
  world.beforeLookup = () => new Promise((resolve) => waiting.push(resolve))
  const statuses: number[] = []
  const all = Array.from({ length: 1_000 }, async () =>
    statuses.push(await send(mintSecret('svc', 'live'))),
  )
  await expect.poll(() => statuses.length).toBe(984)
  expect(new Set(statuses)).toEqual(new Set([503]))
  expect(await send(secret)).toBe(503)
  world.beforeLookup = async () => {}
  for (const go of waiting) go()
  await Promise.all(all)
  expect(statuses.filter((status) => status === 200)).toHaveLength(16)
  expect(world.lookups).toBe(16)
  expect(await send(secret)).toBe(200)
  expect((await world.keys.authenticate(`Bearer ${secret}`, null)).ok).toBe(false)
})

test('revokeBySecret throws for a bad option, and reserves its actor', async () => {
  const world = testKeys()
  expect(() => revokeBySecret(world.keys, { onError: 1 as never })).toThrow(/^revokeBySecret: /)
  const { key } = await issueKey(world)
  const action = { workspaceId: 'ws_1', id: key.id }
  const holder = { id: 'miftah:holder', name: 'x' }
  await expect(world.keys.revokeKey({ ...action, actor: holder })).rejects.toMatchObject({
    code: 'invalid_input',
  })
})

test('reported and exposed are reasons of the host, not of a form', async () => {
  const world = testKeys()
  for (const reason of ['reported', 'exposed'] as const) {
    expect(() => checkerOf(world.keys).revocation({ reason })).toThrow('reason')
    expect(() => checkerOf(world.keys).revocations({ reason, ids: ['key_1'] })).toThrow('reason')
    const { key } = await issueKey(world)
    const action = { workspaceId: 'ws_1', id: key.id, actor: USER }
    expect((await world.keys.revokeKey({ ...action, reason })).status).toBe('revoked')
  }
})
