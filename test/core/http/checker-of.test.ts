import { expect, test } from 'vitest'
import { checkerOf } from '../../../src/http/index.ts'
import { defaultCatalogue } from '../../../src/index.ts'
import { keyInput, openWorld } from '../../support/world.ts'

const checks = checkerOf(openWorld().keys)
type Checks = typeof checks

const NEW = { name: ' Cafe\u0301 ', environment: 'test', scopes: ['flows.read', 'contacts.read'] }
const LATER = { ...NEW, expiresAt: '2026-02-28T02:00:00.5+03:00' }
const EVERY = { ...NEW, scopes: defaultCatalogue.scopes.toReversed() }
const IN_FORM = { name: 'Caf\u00e9', environment: 'test', scopes: ['contacts.read', 'flows.read'] }

test.each<[keyof Checks, object, object]>([
  ['fields', NEW, IN_FORM],
  ['fields', LATER, { ...IN_FORM, expiresAt: new Date(Date.UTC(2026, 1, 27, 23, 0, 0, 500)) }],
  ['fields', EVERY, { ...IN_FORM, scopes: defaultCatalogue.scopes }],
  ['changes', { name: ' ERP ' }, { name: 'ERP' }],
  ['rotation', {}, { overlapSeconds: 0 }],
  ['revocations', { creatorId: 'u_1' }, { creatorId: 'u_1', dryRun: false }],
])(
  'fields from outside are checked alone, and come back in form: %s of %j',
  (name, fields, form) => {
    expect(checks[name](fields as never)).toEqual(form)
  },
)

test.each<[keyof Checks, object, string]>([
  ['fields', keyInput(), 'creator: is not a known field'],
  ['changes', { environment: 'test' }, 'is not a known field'],
  ['rotation', { id: 'key_x' }, 'is not a known field'],
  ['revocations', {}, 'needs at least one of'],
  // Fewer reasons than a host may give.
  ['revocation', { reason: 'reported' }, 'reason: must be one of: leaked, unused, other.'],
])('fields from outside are refused: %s of %j', (name, fields, message) => {
  expect(() => checks[name](fields as never)).toThrow(message)
})

test('only keys of createApiKeys have checks', () => {
  expect(() => checkerOf({} as never)).toThrow('checkerOf needs keys that createApiKeys has made.')
})
