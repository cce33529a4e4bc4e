import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LeakedKey } from '../../../adapters/http/secret-scanning.ts'
import { OutageError } from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import { alertOf, GitHub } from '../../support/http/github.ts'
import type { RunningHost } from '../../support/http/guard-hosts.ts'
import { issueKey, type TestKeys, testKeys } from '../../support/http/keys.ts'
import { exchange } from '../../support/http/raw-client.ts'
import { deliver, secretScanningHosts } from '../../support/http/secret-scanning-hosts.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe.each(secretScanningHosts)('$name', ({ start, parsesFirst }) => {
  let world: TestKeys
  let github: GitHub
  let host: RunningHost
  const leaks: LeakedKey[] = []
  const errors: unknown[] = []

  beforeEach(async () => {
    world = testKeys()
    github = new GitHub('key-1')
    host = await start(world.keys, {
      fetchKeys: github.fetchKeys,
      onLeak: async (leak) => {
        leaks.push(leak)
        throw new Error('the mail server is down')
      },
      onError: async (error) => {
        errors.push(error)
        throw error
      },
    })
  })
  afterEach(async () => {
    await host.close()
    leaks.length = 0
    errors.length = 0
  })

  const send = (body: string, headers = github.sign(body)) => deliver(host.port, body, headers)
  const sendAlerts = (...alerts: readonly unknown[]) => send(JSON.stringify(alerts))
  const accepts = async (secret: string) =>
    (await world.keys.authenticate(`Bearer ${secret}`, null)).ok
  const revocations = async () => {
    const { events } = await world.keys.listEvents({ workspaceId: 'ws_1' })
    return events.filter(({ type }) => type === 'api_key.revoked')
  }

  test('revokes what is leaked, names the scanner and says which finds were keys', async () => {
    const { key, secret } = await issueKey(world)
    const { secret: other } = await issueKey(world)
    const stranger = mintSecret('svc', 'live')
    const answer = await sendAlerts(alertOf(secret), alertOf(stranger), alertOf('مفتاح'))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const type = { token_type: 'miftah_api_key' }
    expect(answer.json).toEqual([
      { token_hash: sha256(secret), ...type, label: 'true_positive' },
      { token_hash: sha256(stranger), ...type, label: 'false_positive' },
      { token_hash: sha256('مفتاح'), ...type, label: 'false_positive' },
    ])
    expect([await accepts(secret), await accepts(other)]).toEqual([false, true])
    const [event, ...more] = await revocations()
    expect(more).toEqual([])
    expect(event).toMatchObject({
      keyId: key.id,
      actor: { id: 'github-secret-scanning', name: 'GitHub secret scanning' },
    })
    expect(event).toMatchObject({ data: { reason: 'leaked' } })
    const revoked = { status: 'revoked', version: 2, updatedAt: event?.at, revokedAt: event?.at }
    expect(leaks).toEqual([{ key: { ...key, ...revoked }, ...placeOf(alertOf(secret)) }])
  })

  test('needs no plan', async () => {
    const { secret } = await issueKey(world)
    world.plans.set('ws_1', { publicApi: false, activeKeyLimit: 0 })
    const { json } = await sendAlerts(alertOf(secret))
    expect(json[0].label).toBe('true_positive')
    expect(await revocations()).toHaveLength(1)
  })

  test('repeated and concurrent deliveries revoke once and answer the same', async () => {
    const { secret } = await issueKey(world)
    const alerts = [alertOf(secret), alertOf(secret, { url: '', source: 'commit' })]
    const many = Array.from({ length: 12 }, () => sendAlerts(...alerts))
    const answers = await Promise.all(many)
    answers.push(await sendAlerts(...alerts))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.json).toHaveLength(2)
    expect(await revocations()).toHaveLength(1)
    expect(leaks).toHaveLength(26)
    expect(leaks).toContainEqual(expect.objectContaining({ url: null, source: 'commit' }))
  })

  test('a find without a place has none', async () => {
    const { secret: token } = await issueKey(world)
    const type = 'miftah_api_key'
    const places = [{}, { url: null, source: null }, { url: '', source: '' }]
    const { status } = await sendAlerts(...places.map((place) => ({ token, type, ...place })))
    expect(status).toBe(200)
    const nowhere = expect.objectContaining({ url: null, source: null })
    expect(leaks).toEqual([nowhere, nowhere, nowhere])
  })

  test('neither a secret nor what GitHub sent is in an answer or a report', async () => {
    const { secret } = await issueKey(world)
    const good = await sendAlerts(alertOf(secret))
    const bad = await send(JSON.stringify({ [secret]: secret }))
    const broken = await send(`[${secret}`)
    const forged = await send(JSON.stringify([alertOf(secret)]), github.sign('[]'))
    expect([bad.status, broken.status, forged.status]).toEqual([422, 400, 403])
    expect(errors).toEqual([])
    const seen = [good, bad, broken, forged].map(({ text, headers }) => [text, [...headers]])
    const told = inspect([seen, leaks, errors, world.events], { depth: 20, showHidden: true })
    expect(told).not.toContain(secret.slice(12))
  })

  describe('refuses', () => {
    test('a body that is not the one signed, whatever byte has changed', async () => {
      const { secret } = await issueKey(world)
      const body = JSON.stringify([alertOf(secret)])
      const headers = github.sign(body)
      for (const changed of [
        `${body} `,
        ` ${body}`,
        body.replace('content', 'c0ntent'),
        '[]',
        '',
      ]) {
        expect((await send(changed, headers)).json.code).toBe('bad_signature')
      }
      expect(await accepts(secret)).toBe(true)
    })

    test('a signature that is another key’s, no signature, or none at all: the same bytes', async () => {
      const body = '[]'
      const good = github.sign(body)
      const stranger = new GitHub('key-1').sign(body)
      const { 'github-public-key-signature': signature = '' } = good
      const cases: Record<string, string>[] = [
        {},
        stranger,
        { 'github-public-key-identifier': 'key-1' },
        { 'github-public-key-signature': signature },
        { ...good, 'github-public-key-identifier': 'key-2' },
        { ...good, 'github-public-key-identifier': '__proto__' },
        { ...good, 'github-public-key-identifier': 'k'.repeat(300) },
        ...['', '!', 'MAA=', signature.slice(0, -4), `MA${signature}`, `${signature}AAAA`].map(
          (value) => ({ ...good, 'github-public-key-signature': value }),
        ),
      ]
      const answers = await Promise.all(cases.map((headers) => send(body, headers)))
      expect(answers.map(({ status }) => status)).toEqual(cases.map(() => 403))
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
      expect((await send(body, good)).status).toBe(200)
    })

    test.each([
      ['no JSON', '{', 400],
      ['nothing', '', 400],
      ['no list', '{"token":"a","type":"b"}', 422],
      ['an alert without a token', '[{"type":"b"}]', 422],
      ['a token that is no text', '[{"token":{"a":1},"type":"b"}]', 422],
      ['a list in the list', '[[]]', 422],
    ])('%s, though signed', async (_name, body, status) => {
      expect((await send(body)).status).toBe(status)
    })

    test('bytes that are not UTF-8, though signed', async () => {
      const bytes = Uint8Array.from([0x5b, 0x22, 0xff, 0x22, 0x5d])
      expect((await deliver(host.port, bytes, github.sign(bytes))).status).toBe(400)
    })

    test('more than 1 MiB, without asking for a key', async () => {
      const body = `[${' '.repeat(1_048_576)}]`
      expect((await send(body)).json.code).toBe('too_large')
      expect(github.asked).toBe(0)
      const most = `[${' '.repeat(1_048_574)}]`
      expect((await send(most)).status).toBe(200)
    })

    // A parser of the host's waits for the body.
    test.skipIf(parsesFirst)('a body that says it has more, unread', async () => {
      const { 'github-public-key-signature': signature = '' } = github.sign('[]')
      const { status } = await exchange(host.port, raw([signature], '', 1_048_577))
      expect(status).toBe(413)
    })

    test('two signatures, were they the same', async () => {
      const { 'github-public-key-signature': signature = '' } = github.sign('[]')
      const once = await exchange(host.port, raw([signature], '[]'))
      const twice = await exchange(host.port, raw([signature, signature], '[]'))
      expect([once.status, twice.status]).toEqual([200, 403])
    })

    test('other methods', async () => {
      const response = await fetch(`http://127.0.0.1:${host.port}/github/alerts`)
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    })
  })

  test('passes over fields that GitHub has added since', async () => {
    const { secret } = await issueKey(world)
    expect((await sendAlerts(alertOf(secret, { severity: { high: true } }))).status).toBe(200)
    expect(await accepts(secret)).toBe(false)
  })

  test('asks for a retry while the storage is down, and then revokes', async () => {
    const { secret } = await issueKey(world)
    world.outage = true
    const failed = await sendAlerts(alertOf(secret))
    expect([failed.status, failed.json.code]).toEqual([503, 'storage_unavailable'])
    expect(failed.headers.get('retry-after')).toBe('1')
    expect(errors).toEqual([expect.objectContaining({ cause: expect.any(OutageError) })])
    world.outage = false
    expect(await accepts(secret)).toBe(true)
    expect((await sendAlerts(alertOf(secret))).status).toBe(200)
    expect(await accepts(secret)).toBe(false)
  })

  test('tries every key, whichever fails, and asks for a retry', async () => {
    world.plans.set('ws_1', { publicApi: true, activeKeyLimit: null })
    const issued = await Promise.all(Array.from({ length: 59 }, () => issueKey(world)))
    const secrets = issued.map(({ secret }) => secret)
    const stranger = mintSecret('svc', 'live')
    const broken = secrets[7] ?? ''
    world.brokenHash = sha256(broken)
    const answer = await sendAlerts(...[...secrets, stranger].map((secret) => alertOf(secret)))
    expect([answer.status, answer.json.code]).toEqual([503, 'storage_unavailable'])
    expect(answer.headers.get('retry-after')).toBe('1')
    const outcomes = new Map(
      answer.json.alerts.map(({ token_hash, outcome }: Record<string, string>) => [
        token_hash,
        outcome,
      ]),
    )
    expect(outcomes.get(sha256(broken))).toBe('failed')
    expect(outcomes.get(sha256(stranger))).toBe('not_a_key')
    expect([...outcomes.values()].filter((outcome) => outcome === 'revoked')).toHaveLength(58)
    expect(answer.text).not.toContain(secrets[0])
    expect(leaks).toHaveLength(58)
    expect(errors).toMatchObject([
      { message: expect.stringContaining('1 of 60'), cause: { operation: 'findByHash' } },
    ])
    const alive = await Promise.all(
      secrets.filter((secret) => secret !== broken).map((secret) => accepts(secret)),
    )
    expect(alive.filter(Boolean)).toEqual([])
    world.brokenHash = null
    expect((await sendAlerts(...secrets.map((secret) => alertOf(secret)))).status).toBe(200)
    expect(await accepts(broken)).toBe(false)
  })

  test('a revocation whose outcome is not known is tried again', async () => {
    const { secret } = await issueKey(world)
    world.lostAnswer = new Error('connection reset')
    const lost = await sendAlerts(alertOf(secret))
    expect([lost.status, lost.json.alerts]).toMatchObject([503, [{ outcome: 'failed' }]])
    expect(leaks).toEqual([])
    world.lostAnswer = null
    expect((await sendAlerts(alertOf(secret))).json).toMatchObject([{ label: 'true_positive' }])
    expect(leaks).toHaveLength(1)
  })

  test.each([
    ['a type of null', { type: null }],
    ['no type', { type: undefined }],
    ['a type that is no text', { type: { a: 1 } }],
    ['a place that is no text', { url: 7, source: ['x'] }],
  ])('needs the token alone: %s', async (_, fields) => {
    const issued = [await issueKey(world), await issueKey(world), await issueKey(world)]
    const secrets = issued.map(({ secret }) => secret)
    const answer = await sendAlerts(
      ...secrets.map((secret, at) => alertOf(secret, at === 1 ? fields : {})),
    )
    expect(answer.status).toBe(200)
    expect(answer.json.map(({ label }: { label: string }) => label)).toEqual(
      secrets.map(() => 'true_positive'),
    )
    expect(await Promise.all(secrets.map(accepts))).toEqual([false, false, false])
    expect(leaks).toHaveLength(3)
  })

  test.each([
    ['no object', 7],
    ['a list', []],
    ['without a token', { type: 'x' }],
    ['with a token that is no text', { token: { a: 1 } }],
  ])('an alert that is %s keeps no other from its key, and the host is told', async (_, odd) => {
    const { secret } = await issueKey(world)
    const answer = await sendAlerts(odd, alertOf(secret))
    expect([answer.status, answer.json.length]).toEqual([200, 1])
    expect(await accepts(secret)).toBe(false)
    expect(errors).toMatchObject([
      { message: expect.stringContaining('alerts without a token: 1') },
    ])
  })

  test('asks for a retry after close()', async () => {
    await world.keys.close()
    expect((await sendAlerts(alertOf(mintSecret('svc', 'live')))).status).toBe(503)
  })

  test('asks for a retry while GitHub’s keys cannot be loaded, and reports why', async () => {
    github.down = true
    const answer = await sendAlerts()
    expect([answer.status, answer.json.code]).toEqual([503, 'keys_unavailable'])
    expect(answer.headers.get('retry-after')).toBe('60')
    expect(errors).toMatchObject([{ cause: { message: 'GitHub is down' } }])
  })
})

function raw(signatures: readonly string[], body: string, length = body.length): string {
  const lines = signatures.map((signature) => `Github-Public-Key-Signature: ${signature}`)
  const rest = ['Content-Type: application/json', `Content-Length: ${length}`]
  const head = ['POST /github/alerts HTTP/1.1', 'Host: a.example', ...rest, ...lines]
  return [...head, 'Github-Public-Key-Identifier: key-1', '', body].join('\r\n')
}

function placeOf({ url, source }: ReturnType<typeof alertOf>) {
  return { url, source }
}
