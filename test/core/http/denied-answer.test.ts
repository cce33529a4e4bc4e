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
import { thrown } from '../../support/world.ts'

const own = guardAnswers().denial({ ok: false, reason: 'missing' })

const STATUS = 'onDenied must return a status from 400 to 599.'
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
  test('sees the denial and the answer, and may keep or replace it, later too', async () => {
    const seen: unknown[] = []
    const keep: OnDenied = (...args) => void seen.push(args)
    expect(await answered(keep)).toEqual({ answer: own, faults: [] })
    expect(seen).toEqual([[{ ok: false, reason: 'missing' }, own]])
    for (const status of [400, 599]) {
      const mine = { status, headers: { 'X-Mine': 'yes' }, body: 'no such page' }
      for (const onDenied of [() => mine, async () => mine]) {
        const { answer } = await answered(onDenied)
        expect(answer).toEqual({ ...mine, headers: { vary: 'Authorization', 'x-mine': 'yes' } })
      }
    }
    const { answer } = await answered(() => ({ status: 401, headers: { Vary: '*' }, body: '' }))
    expect(answer?.headers).toEqual({ vary: '*' })
  })

  test('may set any header that can be sent', async () => {
    const headers = { "!#$%&'*+-.^_`|~09az": '\t ~\x80ÿ', 'x-empty': '' }
    const { answer } = await answered(() => ({ status: 401, headers, body: '' }))
    expect(answer?.headers).toEqual({ vary: 'Authorization', ...headers })
  })

  test.each<readonly [object, string]>([
    ...[200, 399, 600, 400.5].map((status) => [{ status }, STATUS] as const),
    [{ body: {} }, 'onDenied must return a string as the body.'],
    ...['المفتاح', 'a\r\nset-cookie: b', 'a\n', '\x7f'].map(
      (value) => [{ headers: { 'x-message': value } }, UNSENDABLE] as const,
    ),
    ...['x message', 'x-message:', 'x-message\n', ''].map(
      (name) => [{ headers: { [name]: 'a' } }, UNSENDABLE] as const,
    ),
  ])('never opens a route or breaks it: %j', async (wrong, message) => {
    const bad = { status: 401, headers: {}, body: '', ...wrong }
    const { answer, faults } = await answered(() => bad as unknown as HttpAnswer)
    expect(answer).toEqual(own)
    expect(faults).toEqual([['onDenied', new TypeError(message)]])
  })

  test('that throws, rejects or returns nonsense is reported, and the answer stays', async () => {
    const error = new Error('a bug')
    const broken: readonly OnDenied[] = [
      () => thrown(error),
      () => Promise.reject(error),
      () => null as unknown as HttpAnswer,
    ]
    for (const onDenied of broken) {
      const { answer, faults } = await answered(onDenied)
      expect(answer).toEqual(own)
      expect(faults).toMatchObject([['onDenied', expect.any(Error)]])
    }
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

test('a scope guard without a key says what is missing', async () => {
  const guard = createScopeGuard(testKeys().keys, 'contacts.read')
  await expect(guard.check(undefined)).rejects.toThrow(
    new TypeError('requireScope: no requireKey guards this route; mount one before it.'),
  )
})
