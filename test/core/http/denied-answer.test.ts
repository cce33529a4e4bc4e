import { describe, expect, test } from 'vitest'
import {
  createGuard,
  createScopeGuard,
  guardAnswers,
  type HttpAnswer,
  type OnDenied,
} from '../../../src/http/index.ts'
import type { ApiKeyEvent } from '../../../src/index.ts'
import { issueKey, testKeys } from '../../support/http/keys.ts'

const own = guardAnswers().denial({ ok: false, reason: 'missing' })

const UNSENDABLE = 'onDenied must return valid HTTP headers.'

/** What a guard with this function answers to a request without a key, and the faults it tells. */
async function answered(onDenied: OnDenied) {
  const faults: unknown[] = []
  const { keys } = testKeys({
    onEvent: (event: ApiKeyEvent) => {
      if (event.type === 'outage') faults.push([event.operation, event.error])
    },
  })
  const verdict = await createGuard(keys, null, { onDenied }).check('GET', () => [])
  return { answer: verdict.ok ? null : verdict.answer, faults }
}

describe('onDenied', () => {
  test('sees the denial and the answer, and may keep it', async () => {
    const seen: unknown[] = []
    const { answer, faults } = await answered((...args) => {
      seen.push(args)
      return undefined
    })
    expect(seen).toEqual([[{ ok: false, reason: 'missing' }, own]])
    expect([answer, faults]).toEqual([own, []])
  })

  test('replaces the answer, later too', async () => {
    const mine = { status: 404, headers: { 'X-Mine': 'yes' }, body: 'no such page' }
    for (const onDenied of [() => mine, async () => mine]) {
      const { answer } = await answered(onDenied)
      const headers = { vary: 'Authorization', 'x-mine': 'yes' }
      expect(answer).toEqual({ status: 404, headers, body: 'no such page' })
    }
  })

  test.each([400, 599])('may answer %i', async (status) => {
    const { answer } = await answered(() => ({ status, headers: {}, body: '' }))
    expect(answer?.status).toBe(status)
  })

  test('may set any header that can be sent', async () => {
    const headers = { "!#$%&'*+-.^_`|~09az": '\t ~\x80ÿ', 'x-empty': '' }
    const { answer } = await answered(() => ({ status: 401, headers, body: '' }))
    expect(answer?.headers).toEqual({ vary: 'Authorization', ...headers })
  })

  test('may set Vary itself', async () => {
    const { answer } = await answered(() => ({ status: 401, headers: { Vary: '*' }, body: '' }))
    expect(answer?.headers).toEqual({ vary: '*' })
  })

  test.each([
    [{ status: 200, headers: {}, body: '' }, 'onDenied must return a status from 400 to 599.'],
    [{ status: 399, headers: {}, body: '' }, 'onDenied must return a status from 400 to 599.'],
    [{ status: 600, headers: {}, body: '' }, 'onDenied must return a status from 400 to 599.'],
    [{ status: 400.5, headers: {}, body: '' }, 'onDenied must return a status from 400 to 599.'],
    [{ status: 401, headers: {}, body: {} }, 'onDenied must return a string as the body.'],
    [{ status: 401, headers: { 'x-message': 'المفتاح' }, body: '' }, UNSENDABLE],
    [{ status: 401, headers: { 'x-message': 'a\r\nset-cookie: b' }, body: '' }, UNSENDABLE],
    [{ status: 401, headers: { 'x-message': 'a\n' }, body: '' }, UNSENDABLE],
    [{ status: 401, headers: { 'x-message': '\x7f' }, body: '' }, UNSENDABLE],
    [{ status: 401, headers: { 'x message': 'a' }, body: '' }, UNSENDABLE],
    [{ status: 401, headers: { 'x-message:': 'a' }, body: '' }, UNSENDABLE],
    [{ status: 401, headers: { 'x-message\n': 'a' }, body: '' }, UNSENDABLE],
    [{ status: 401, headers: { '': 'a' }, body: '' }, UNSENDABLE],
  ])('never opens a route or breaks it: %j', async (bad, message) => {
    const { answer, faults } = await answered(() => bad as unknown as HttpAnswer)
    expect(answer).toEqual(own)
    expect(faults).toEqual([['onDenied', new TypeError(message)]])
  })

  test('that throws, rejects or returns nonsense is reported, and the answer stays', async () => {
    const error = new Error('a bug')
    const broken: readonly OnDenied[] = [
      () => {
        throw error
      },
      () => Promise.reject(error),
      () => null as unknown as HttpAnswer,
    ]
    for (const onDenied of broken) {
      const { answer, faults } = await answered(onDenied)
      expect(answer).toEqual(own)
      expect(faults).toMatchObject([['onDenied', expect.any(Error)]])
    }
  })

  test('must be a function', () => {
    const onDenied = 'later' as unknown as OnDenied
    expect(() => createGuard(testKeys().keys, null, { onDenied })).toThrow(
      new TypeError('Option "onDenied" must be a function.'),
    )
  })

  test('is also called by a scope guard', async () => {
    const backend = testKeys()
    const { key } = await issueKey(backend)
    const onDenied: OnDenied = ({ reason }) => ({ status: 404, headers: {}, body: reason })
    const guard = createScopeGuard(backend.keys, 'webhooks.write', { onDenied })
    expect(await guard.check(key)).toMatchObject({
      answer: { status: 404, body: 'insufficient_scope' },
    })
  })
})

describe('a scope guard', () => {
  test('needs a requirement', () => {
    expect(() => createScopeGuard(testKeys().keys, null as never)).toThrow(
      new TypeError(
        'requireScope needs a scope, { anyOf } or { allOf }, or the option "resource".',
      ),
    )
  })

  test('lets a key with the scope through, as it is', async () => {
    const backend = testKeys()
    const { key } = await issueKey(backend)
    const verdict = await createScopeGuard(backend.keys, 'contacts.read').check(key)
    expect(verdict).toEqual({ ok: true, key, headers: {} })
  })

  test('without a key says what is missing', async () => {
    const guard = createScopeGuard(testKeys().keys, 'contacts.read')
    await expect(guard.check(undefined)).rejects.toThrow(
      new TypeError('requireScope: no requireKey guards this route; mount one before it.'),
    )
  })
})
