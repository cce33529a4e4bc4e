import { describe, expect, test } from 'vitest'
import { auditEventFrom } from '../../../adapters/storage/lib/event-row.ts'
import { keyRecordFrom, keyUsageFrom } from '../../../adapters/storage/lib/key-row.ts'

const HASH = '0'.repeat(64)

const KEY = {
  id: 'key_1',
  workspace_id: 'ws_1',
  name: 'CRM',
  environment: 'live',
  scopes: '["contacts.read"]',
  prefix: 'svc_live_abc',
  creator_id: 'u_1',
  creator_name: 'نورة',
  created_at_ms: 1n,
  revoked_at_ms: 4,
  replaces: 'key_0',
  replaced_by: 'key_2',
  version: '3',
  updated_at_ms: 5n,
  expires_at_ms: 6,
  paused_at_ms: 7,
  paused_by_id: 'u_3',
  paused_by_name: 'Omar',
  retires_at_ms: 8,
  metadata: '{"team":"sales"}',
  note: 'for the CRM',
  resources: '{"project":["p_1"]}',
  networks: '["203.0.113.0/24"]',
  format: 'old',
}

const DATA = {
  name: 'CRM',
  environment: 'test',
  scopes: ['contacts.read'],
  prefix: 'svc_test_abc',
  replacementId: 'key_2',
  replacementPrefix: 'svc_test_def',
  replacementScopes: ['contacts.read'],
  overlapEndsAt: null,
}

const EVENT = {
  id: 'evt_1',
  at_ms: 5,
  workspace_id: 'ws_1',
  actor_id: 'u_2',
  actor_name: 'Sami',
  key_id: 'key_1',
  type: 'api_key.rotated',
  data: JSON.stringify(DATA),
}

const broken = (column: string) => `a stored row is invalid: column "${column}"`

describe('the record in a row', () => {
  test('has every column in its place', () => {
    expect(keyRecordFrom(KEY, HASH)).toEqual({
      hash: HASH,
      id: 'key_1',
      workspaceId: 'ws_1',
      name: 'CRM',
      environment: 'live',
      scopes: ['contacts.read'],
      prefix: 'svc_live_abc',
      creator: { id: 'u_1', name: 'نورة' },
      createdAtMs: 1,
      revokedAtMs: 4,
      replaces: 'key_0',
      replacedBy: 'key_2',
      version: 3,
      updatedAtMs: 5,
      expiresAtMs: 6,
      pausedAtMs: 7,
      pausedBy: { id: 'u_3', name: 'Omar' },
      retiresAtMs: 8,
      metadata: { team: 'sales' },
      note: 'for the CRM',
      resources: { project: ['p_1'] },
      networks: ['203.0.113.0/24'],
      format: 'old',
    })
    expect(keyRecordFrom({ ...KEY, environment: 'test' }, HASH).environment).toBe('test')
    for (const networks of ['any', '"any"']) {
      expect(keyRecordFrom({ ...KEY, networks, resources: '{}' }, HASH)).toMatchObject({
        networks: 'any',
        resources: {},
      })
    }
  })

  test('is refused for half of who paused it, and for metadata that are no texts', () => {
    const half = { ...KEY, paused_by_id: null }
    expect(() => keyRecordFrom(half, HASH)).toThrow(broken('paused_by_name'))
    expect(keyRecordFrom({ ...half, paused_by_name: null }, HASH).pausedBy).toBeNull()
    for (const metadata of ['[]', '{"a":1}', 'x', '{"a":{}}']) {
      expect(() => keyRecordFrom({ ...KEY, metadata }, HASH)).toThrow(broken('metadata'))
    }
  })

  test.each(Object.keys(KEY))('is refused for its %s', (column) => {
    expect(() => keyRecordFrom({ ...KEY, [column]: true }, HASH)).toThrow(broken(column))
  })
})

describe('the usage in a row', () => {
  const row = { uses: 3, last_used_at_ms: '2' }

  test('has every column in its place', () => {
    expect(keyUsageFrom(row)).toEqual({ uses: 3, lastUsedAtMs: 2 })
    expect(keyUsageFrom({ ...row, last_used_at_ms: null }).lastUsedAtMs).toBeNull()
  })

  test.each(Object.keys(row))('is refused for its %s', (column) => {
    expect(() => keyUsageFrom({ ...row, [column]: true })).toThrow(broken(column))
  })
})

describe('the event in a row', () => {
  const { replacementId, replacementPrefix, replacementScopes, overlapEndsAt, ...snapshot } = DATA
  const base = {
    id: 'evt_1',
    atMs: 5,
    workspaceId: 'ws_1',
    actor: { id: 'u_2', name: 'Sami' },
    keyId: 'key_1',
  }

  test('of a rotation names the replacement', () => {
    expect(auditEventFrom(EVENT)).toEqual({ ...base, type: 'api_key.rotated', data: DATA })
  })

  test.each(['api_key.created', 'api_key.resumed'])('of another type has none: %s', (type) => {
    const data = { ...DATA, environment: 'live' }
    expect(auditEventFrom({ ...EVENT, type, data })).toEqual({
      ...base,
      type,
      data: { ...snapshot, environment: 'live' },
    })
  })

  test.each([
    { endedOverlap: true, reason: null },
    { endedOverlap: false, reason: 'leaked' },
  ])('of a revocation says whether an overlap was ended, and why: %j', (own) => {
    const data = { ...snapshot, ...own }
    expect(auditEventFrom({ ...EVENT, type: 'api_key.revoked', data }).data).toEqual(data)
    for (const field of Object.keys(own)) {
      const odd = { ...data, [field]: undefined }
      expect(() => auditEventFrom({ ...EVENT, type: 'api_key.revoked', data: odd })).toThrow(
        broken(field),
      )
    }
  })

  test.each(['lost', 7, true, {}])(
    'of a revocation for a reason that does not exist: %j',
    (reason) => {
      const data = { ...snapshot, endedOverlap: false, reason }
      expect(() => auditEventFrom({ ...EVENT, type: 'api_key.revoked', data })).toThrow(/"reason"/)
    },
  )

  test.each([
    ['api_key.imported', { format: 'old' }],
    ['api_key.expiring', { expiresAt: '2026-01-01T00:00:00.000Z' }],
    ['api_key.expired', { expiresAt: '2026-01-01T00:00:00.000Z' }],
    ['api_key.retired', { replacementId: 'key_2', overlapEndsAt: '2026-01-01T00:00:00.000Z' }],
  ])('of %s has what belongs to it, and nothing else', (type, own) => {
    const data = { ...snapshot, ...own }
    const row = { ...EVENT, type, data: { ...data, more: 1 } }
    expect(auditEventFrom(row)).toEqual({ ...base, type, data })
    for (const field of Object.keys(own)) {
      const odd = { ...row, data: { ...data, [field]: 7 } }
      expect(() => auditEventFrom(odd)).toThrow(broken(field))
    }
  })

  test('of a rotation says until when the old key works', () => {
    const overlapEndsAt = '2026-01-01T00:00:00.000Z'
    const event = auditEventFrom({ ...EVENT, data: { ...DATA, overlapEndsAt } })
    expect(event.data).toEqual({ ...DATA, overlapEndsAt })
    const odd = { ...EVENT, data: { ...DATA, overlapEndsAt: 7 } }
    expect(() => auditEventFrom(odd)).toThrow(broken('overlapEndsAt'))
  })

  test('of an update says what has changed', () => {
    const before = {
      name: 'A',
      scopes: ['a'],
      expiresAt: null,
      metadata: ['team'],
      more: 1,
      note: null,
      resources: {},
      networks: 'any',
    }
    const data = { ...snapshot, before, after: { name: 'B' } }
    const { more: _more, ...known } = before
    const event = auditEventFrom({ ...EVENT, type: 'api_key.updated', data })
    expect(event.data).toEqual({ ...snapshot, before: known, after: { name: 'B' } })
    for (const field of [
      'name',
      'scopes',
      'expiresAt',
      'metadata',
      'note',
      'resources',
      'networks',
    ]) {
      const bad = { ...data, after: { [field]: 7 } }
      expect(() => auditEventFrom({ ...EVENT, type: 'api_key.updated', data: bad })).toThrow(
        broken(field),
      )
    }
    expect(() => auditEventFrom({ ...EVENT, type: 'api_key.updated', data: snapshot })).toThrow(
      broken('before'),
    )
  })

  test.each(Object.keys(EVENT))('is refused for its %s', (column) => {
    expect(() => auditEventFrom({ ...EVENT, [column]: true })).toThrow(broken(column))
  })

  test.each(Object.keys(DATA))('is refused for the %s in its data', (field) => {
    const data = { ...DATA, [field]: true }
    expect(() => auditEventFrom({ ...EVENT, data })).toThrow(broken(field))
  })
})
