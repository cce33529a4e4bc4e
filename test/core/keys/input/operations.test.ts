import { expect, test } from 'vitest'
import { defineResources } from '../../../../src/index.ts'
import { FORMAT } from '../../../support/lifecycle/import.ts'
import { later, saidOf } from '../../../support/lifecycle/world.ts'
import { ACTOR, action, openWorld, thrown, WORKSPACE } from '../../../support/world.ts'

const HOUR_MS = 3_600_000

const open = () => {
  const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
  return openWorld({ resources, formats: [FORMAT] })
}

/** What each operation needs for a valid input. */
const GOOD = {
  listKeys: { workspaceId: WORKSPACE },
  listEvents: { workspaceId: WORKSPACE },
  rotateKey: action('key_x'),
  revokeKey: action('key_x'),
  updateKey: { ...action('key_x'), version: 1, change: {} },
  revokeKeys: { workspaceId: WORKSPACE, actor: ACTOR },
  removeResource: { workspaceId: WORKSPACE, actor: ACTOR },
  erasePerson: {},
  eraseWorkspace: {},
  purge: {},
}

const PLAIN = 'must be 1 to 255 characters without control characters.'
const STATUSES = 'must be one of: active, retiring, paused, expired, revoked.'
const REASONS = 'must be one of: leaked, unused, reported, exposed, other.'
const RESOURCE = 'resource invalid_value: must name one resource by its type and its id.'
const EITHER = ' required: needs endedBefore, eventsBefore or both.'

test.each<[keyof typeof GOOD, object, ...string[]]>([
  ['rotateKey', { actor: null }, 'actor invalid_type: must be an object.'],
  [
    'rotateKey',
    { actor: undefined, id: undefined, workspaceId: undefined },
    ...['workspaceId', 'id', 'actor'].map((field) => `${field} required: is required.`),
  ],
  ['rotateKey', { overlapSeconds: -1 }, 'overlapSeconds out_of_range: must be at least 0.'],
  [
    'rotateKey',
    { overlapSeconds: 2_592_001 },
    'overlapSeconds out_of_range: must be at most 2592000.',
  ],
  ['revokeKey', { force: true }, 'force unknown_field: is not a known field.'],
  ['revokeKey', { id: 7 }, 'id invalid_type: must be text, not a number.'],
  ['revokeKey', { reason: 'stolen' }, `reason invalid_value: ${REASONS}`],
  ['revokeKey', { reason: null }, 'reason invalid_type: must be text.'],
  ['updateKey', { version: 0 }, 'version out_of_range: must be at least 1.'],
  ['updateKey', { change: null }, 'change invalid_type: must be an object.'],
  ['updateKey', { change: undefined }, 'change required: is required.'],
  ['updateKey', { change: { name: null } }, 'change.name invalid_type: must be text.'],
  ['updateKey', { change: { scopes: null } }, 'change.scopes invalid_type: must be a list.'],
  [
    'updateKey',
    { change: { metadata: Object.assign({}, Array(41).fill(null)) } },
    'change.metadata too_long: must have at most 40 entries.',
  ],
  [
    'updateKey',
    { change: JSON.parse('{ "environment": "test", "secret": "s", "__proto__": {} }') },
    ...['environment', 'secret', '__proto__'].map(
      (field) => `change.${field} unknown_field: is not a known field.`,
    ),
  ],
  [
    'listKeys',
    { status: 'gone', environment: 'dev', limit: 0, cursor: 7 },
    `status invalid_value: ${STATUSES}`,
    'environment invalid_value: must be live or test.',
    'cursor invalid_type: must be text, not a number.',
    'limit out_of_range: must be at least 1.',
  ],
  ['listKeys', { limit: 201 }, 'limit out_of_range: must be at most 200.'],
  ['listKeys', { limit: 1.5 }, 'limit invalid_type: must be a whole number.'],
  ['listKeys', { limit: '10' }, 'limit invalid_type: must be a number.'],
  ['listKeys', { status: [] }, 'status required: must name at least one.'],
  ['listKeys', { status: ['active', 'gone'] }, `status.1 invalid_value: ${STATUSES}`],
  ['listKeys', { status: [7] }, 'status.0 invalid_type: must be text.'],
  ['listKeys', { status: 7 }, 'status invalid_type: must be text.'],
  ['listKeys', { status: Array(51).fill('active') }, 'status too_long: must name at most 50.'],
  ['listKeys', { scope: 'no' }, 'scope unknown_scope: is not a scope of the catalogue.'],
  ['listKeys', { scope: 7 }, 'scope invalid_type: must be text.'],
  ['listKeys', { search: ' ' }, 'search required: must not be blank.'],
  ['listKeys', { search: 7 }, 'search invalid_type: must be text, not a number.'],
  ['listKeys', { search: 'a'.repeat(121) }, 'search too_long: must have at most 120 characters.'],
  ['listKeys', { unusedForDays: 0 }, 'unusedForDays out_of_range: must be at least 1.'],
  [
    'listEvents',
    { limit: 201, newestFirst: 'yes', after: 'x' },
    'newestFirst invalid_type: must be true or false.',
    'limit out_of_range: must be at most 200.',
    'after unknown_field: is not a known field.',
  ],
  [
    'revokeKeys',
    {},
    ' required: needs at least one of creatorId, environment, scope, resource, unusedForDays, ids.',
  ],
  // A filter that is there but says nothing must not revoke everything.
  ['revokeKeys', { creatorId: undefined }, 'creatorId required: is required.'],
  ['revokeKeys', { creatorId: null }, 'creatorId invalid_type: must be text.'],
  [
    'revokeKeys',
    { creatorId: 'miftah:erased' },
    'creatorId invalid_value: must not begin with "miftah:".',
  ],
  ['revokeKeys', { resource: {} }, RESOURCE],
  ['revokeKeys', { resource: { team: 't' } }, RESOURCE],
  ['revokeKeys', { resource: { project: 'a', team: 't' } }, RESOURCE],
  ['revokeKeys', { ids: Array(1_001).fill('key') }, 'ids too_long: must name at most 1000 keys.'],
  ['removeResource', { resource: { team: 't_1' } }, RESOURCE],
  ['listKeys', { resource: { project: '' } }, RESOURCE],
  ['listKeys', { resource: null }, RESOURCE],
  ['listKeys', { resource: 'p_1' }, RESOURCE],
  ['erasePerson', {}, 'personId required: is required.'],
  ['erasePerson', { personId: '' }, `personId invalid_value: ${PLAIN}`],
  ['eraseWorkspace', { workspaceId: 'a\0' }, `workspaceId invalid_value: ${PLAIN}`],
  ['eraseWorkspace', { workspaceId: 'ws_1', id: 1 }, 'id unknown_field: is not a known field.'],
  ['purge', {}, EITHER],
  ['purge', { endedBefore: undefined }, EITHER],
  ['purge', { endedBefore: 5 }, 'endedBefore invalid_type: must be a date.'],
  ['purge', { endedBefore: '2026-01-01T00:00:00Z' }, 'endedBefore invalid_type: must be a date.'],
  ['purge', { eventsBefore: new Date(Number.NaN) }, 'eventsBefore invalid_type: must be a date.'],
  [
    'purge',
    { endedBefore: later(1 - HOUR_MS) },
    'endedBefore out_of_range: must be at least an hour ago.',
  ],
])('%s is refused with %j', async (operation, fields, ...sentences) => {
  const { keys, asked } = open()
  const input = { ...GOOD[operation], ...fields }
  expect(await saidOf(keys[operation](input as never))).toEqual(sentences)
  expect(asked()).toEqual([])
})

test('a list of statuses that cannot be read is none', async () => {
  const get = () => thrown(new Error('a trap'))
  const status: 'active'[] = Object.defineProperty(['active'], 0, { get })
  const list = open().keys.listKeys({ workspaceId: WORKSPACE, status })
  expect(await saidOf(list)).toEqual(['status invalid_type: must be a list.'])
})

test('the longest allowed values are accepted', async () => {
  const { keys } = open()
  for (const filter of [{ status: Array(50).fill('active') }, { search: '🔑'.repeat(120) }]) {
    expect((await keys.listKeys({ workspaceId: WORKSPACE, ...filter })).keys).toEqual([])
  }
  for (const fields of [{ endedBefore: later(-HOUR_MS) }, { eventsBefore: new Date(0) }]) {
    expect(await keys.purge(fields)).toEqual({ keys: 0, events: 0 })
  }
})
