import { expect, test } from 'vitest'
import { faultEvent } from '../../../src/events/api-key-event.ts'
import { keyInput, openWorld, rejection } from '../../support/world.ts'

const at = new Date(0)

/** What a log shows of the error of a fault. */
const shown = (error: unknown, operation = 'findByHash') =>
  JSON.parse(JSON.stringify(faultEvent({ at, operation, error }))).error

test('the events of an outage can be written as JSON, and keep the error itself', async () => {
  const world = openWorld()
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const failure = Object.assign(new Error('the database is down', { cause }), { code: 7 })
  world.misbehaviour.read = () => Promise.reject(failure)
  await rejection(world.keys.createKey(keyInput()))
  const [event] = world.events
  expect(event).toMatchObject({ type: 'outage', error: failure })
  expect(Object.keys(event ?? {})).toEqual(['type', 'at', 'operation', 'error'])
  expect(JSON.parse(JSON.stringify(event))).toEqual({
    type: 'outage',
    at: new Date(world.nowMs).toISOString(),
    operation: 'read',
    error: {
      name: 'Error',
      message: 'the database is down',
      code: 7,
      cause: { name: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
    },
  })
})

test('secrets and hashes are masked', () => {
  const hash = 'a1'.repeat(32)
  const secret = `acme_test_${'x'.repeat(46)}`
  const error = new Error(`no row for ${hash}`, {
    cause: `given ${secret} and ${secret.slice(0, 20)}`,
  })
  expect(shown(error)).toMatchObject({
    message: 'no row for …',
    cause: { message: 'given … and …' },
  })
})

test('what a function of formats throws is shown without its message', () => {
  const operation = 'formats'
  const cause = new Error('the old key hunter2')
  const error = Object.assign(new TypeError('hunter2 is no key', { cause }), { code: 'E_OLD' })
  expect(shown(error, operation)).toEqual({
    name: 'TypeError',
    code: 'E_OLD',
    cause: { name: 'Error' },
  })
  const own = 'Format "acme": "digest" must return 1 to 1,024 characters.'
  expect(shown(new TypeError(own), operation).message).toBe(own)
})

test('whatever is thrown can be shown', () => {
  const loop: { message: string; cause?: unknown } = { message: 'again' }
  loop.cause = loop
  const hostile = {
    get message() {
      throw new Error('x')
    },
  }
  for (const error of [undefined, null, 7, {}, hostile]) expect(shown(error)).toEqual({})
  expect(shown('text')).toEqual({ message: 'text' })
  expect(JSON.stringify(shown(loop)).match(/again/g)).toHaveLength(6)
})
