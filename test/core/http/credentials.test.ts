import { describe, expect, test } from 'vitest'
import { type CredentialPlace, createGuard, guardAnswers } from '../../../src/http/index.ts'
import { issueKey, testKeys } from '../../support/http/keys.ts'

const { keys } = testKeys()

test.each([
  [[]],
  [['bearer', 'bearer']],
  [['cookie']],
  [['bearer', 'cookie']],
  [['__proto__']],
  ['bearer'],
  [null],
])('accept may not be %j', (accept) => {
  expect(() => createGuard(keys, null, { accept: accept as CredentialPlace[] })).toThrow(
    new TypeError(
      'Option "accept" must list one or more of bearer, x-api-key, basic-username, each once.',
    ),
  )
})

describe('a guard that accepts one place', () => {
  const CASES: readonly [CredentialPlace, header: string, value: string, vary: string][] = [
    ['bearer', 'authorization', 'Bearer K', 'Authorization'],
    ['x-api-key', 'x-api-key', 'K', 'X-API-Key'],
    ['basic-username', 'authorization', 'Basic K', 'Authorization'],
  ]

  test.each(CASES)('%s reads that place and no other', async (place, header, value, vary) => {
    const backend = testKeys()
    const { secret } = await issueKey(backend)
    const guard = createGuard(backend.keys, null, { accept: [place] })
    const verdict = async (name: string, text: string) => {
      const token =
        name === 'authorization' && text.startsWith('Basic') ? btoa(`${secret}:`) : secret
      return guard.check('GET', (wanted) => (wanted === name ? [text.replace('K', token)] : []))
    }
    expect(guard.vary).toBe(vary)
    expect((await verdict(header, value)).ok).toBe(true)
    for (const [other, name, text] of CASES) {
      if (other === place) continue
      expect(await verdict(name, text)).toMatchObject({ ok: false, answer: { status: 401 } })
    }
  })

  test('two places without Bearer', async () => {
    const backend = testKeys()
    const { secret } = await issueKey(backend)
    const guard = createGuard(backend.keys, null, { accept: ['x-api-key', 'basic-username'] })
    const check = (headers: Readonly<Record<string, string>>) =>
      guard.check('GET', (name) => (headers[name] === undefined ? [] : [headers[name]]))
    expect((await check({ 'x-api-key': secret, authorization: `Bearer ${secret}` })).ok).toBe(true)
    expect((await check({ authorization: `Basic ${btoa(`${secret}:`)}` })).ok).toBe(true)
    expect((await check({ authorization: `Bearer ${secret}` })).ok).toBe(false)
  })
})

test('the answers name every accepted place', () => {
  const { denial } = guardAnswers({ realm: 'orders', accept: ['x-api-key', 'basic-username'] })
  const { headers, body } = denial({ ok: false, reason: 'invalid_request' })
  expect(headers['www-authenticate']).toBe(
    'ApiKey realm="orders", error="invalid_request", Basic realm="orders", charset="UTF-8"',
  )
  expect(headers['vary']).toBe('X-API-Key, Authorization')
  expect(JSON.parse(body).detail).toBe(
    'Send exactly one API key, as X-API-Key: <key> or as the user name of Basic authentication.',
  )
})

describe('a guard that accepts every place', () => {
  const accept: CredentialPlace[] = ['bearer', 'x-api-key', 'basic-username']
  const guard = createGuard(keys, null, { accept })

  test.each<[string, Readonly<Record<string, readonly string[]>>, number]>([
    ['nothing', {}, 401],
    ['two Authorization lines', { authorization: ['Basic eDo=', 'Basic eDo='] }, 400],
    ['two X-API-Key lines', { 'x-api-key': ['x', 'x'] }, 400],
    ['Bearer and X-API-Key', { authorization: ['Bearer x'], 'x-api-key': ['x'] }, 400],
    ['another scheme beside X-API-Key', { authorization: ['Digest x'], 'x-api-key': ['x'] }, 401],
    ['an empty X-API-Key', { 'x-api-key': [''] }, 401],
    ['two empty X-API-Key lines', { 'x-api-key': ['', ''] }, 400],
    ['Basic without a token', { authorization: ['Basic'] }, 400],
    ['Basic that is not base64', { authorization: ['Basic abcde'] }, 400],
    ['Basic without a colon', { authorization: [`Basic ${btoa('x')}`] }, 400],
    ['Basic with an empty user name', { authorization: [`Basic ${btoa(':x')}`] }, 400],
    ['Basic behind another word', { authorization: ['x basic eDo='] }, 401],
    ['Basic with nine spaces', { authorization: [`Basic         ${btoa('x:')}`] }, 400],
    ['Basic with a word behind it', { authorization: [`Basic ${btoa('x:')} x`] }, 400],
    ['a scheme that begins like Basic', { authorization: ['Basics eDo='] }, 401],
  ])('%s', async (_title, headers, status) => {
    const verdict = await guard.check('GET', (name) => headers[name] ?? [])
    expect(verdict).toMatchObject({ ok: false, answer: { status } })
  })

  const backend = testKeys()
  const all = createGuard(backend.keys, null, { accept })
  const user = (secret: string, password = '') => btoa(`${secret}:${password}`)

  test.each<[string, (secret: string) => Readonly<Record<string, string>>, boolean]>([
    ['Basic', (secret) => ({ authorization: `Basic ${user(secret)}` }), true],
    ['basic in lower case', (secret) => ({ authorization: `basic ${user(secret)}` }), true],
    [
      'a password of one letter',
      (secret) => ({ authorization: `Basic ${user(secret, 'a')}` }),
      true,
    ],
    ['one of two letters', (secret) => ({ authorization: `Basic ${user(secret, 'ab')}` }), true],
    ['spaces around Basic', (secret) => ({ authorization: `  Basic ${user(secret)}  ` }), true],
    ['eight spaces', (secret) => ({ authorization: `Basic        ${user(secret)}` }), true],
    ['X-API-Key', (secret) => ({ 'x-api-key': secret }), true],
    [
      'Bearer beside an empty X-API-Key',
      (secret) => ({ authorization: `Bearer ${secret}`, 'x-api-key': '' }),
      true,
    ],
    ['a word before it', (secret) => ({ 'x-api-key': `x ${secret}` }), false],
    ['a word behind it', (secret) => ({ 'x-api-key': `${secret} x` }), false],
    ['a comma behind it', (secret) => ({ 'x-api-key': `${secret},` }), false],
    [
      'a joined line that names Bearer',
      (secret) => ({ 'x-api-key': secret, authorization: 'Digest x, bearer' }),
      false,
    ],
    [
      'a joined line whose scheme ends like Bearer',
      (secret) => ({ 'x-api-key': secret, authorization: 'Digest x,xbearer y' }),
      true,
    ],
  ])('reads %s', async (_title, headersWith, isAccepted) => {
    const { secret } = await issueKey(backend)
    const headers = headersWith(secret)
    const verdict = await all.check('GET', (name) =>
      headers[name] === undefined ? [] : [headers[name]],
    )
    expect(verdict.ok).toBe(isAccepted)
  })
})
