import { describe, expect, test } from 'vitest'
import { type CredentialPlace, createGuard, guardAnswers } from '../../../src/http/index.ts'
import { issueKey, testKeys } from '../../support/http/keys.ts'

const { keys } = testKeys()

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

  // K stands for the secret.
  test.each<[string, Readonly<Record<string, string>>, boolean]>([
    ['Basic', { authorization: 'Basic K:' }, true],
    ['basic in lower case', { authorization: 'basic K:' }, true],
    ['a password of one letter', { authorization: 'Basic K:a' }, true],
    ['one of two letters', { authorization: 'Basic K:ab' }, true],
    ['spaces around Basic', { authorization: '  Basic K:  ' }, true],
    ['eight spaces', { authorization: 'Basic        K:' }, true],
    ['Bearer beside an empty X-API-Key', { authorization: 'Bearer K', 'x-api-key': '' }, true],
    ['a word before it', { 'x-api-key': 'x K' }, false],
    ['a word behind it', { 'x-api-key': 'K x' }, false],
    ['a comma behind it', { 'x-api-key': 'K,' }, false],
    ['a joined Bearer', { 'x-api-key': 'K', authorization: 'Digest x, bearer' }, false],
    ['a scheme that ends like it', { 'x-api-key': 'K', authorization: 'Digest x,xbearer y' }, true],
  ])('reads %s', async (_title, headers, isAccepted) => {
    const { secret } = await issueKey(backend)
    const filled = (text: string) =>
      text.replace(/K(:\w*)?/, (_, password) =>
        password === undefined ? secret : btoa(secret + password),
      )
    const verdict = await all.check('GET', (name) =>
      headers[name] === undefined ? [] : [filled(headers[name])],
    )
    expect(verdict.ok).toBe(isAccepted)
  })
})
