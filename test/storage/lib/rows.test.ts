import { describe, expect, test } from 'vitest'
import {
  integerIn,
  objectIn,
  oneOfIn,
  optionalIntegerIn,
  optionalTextIn,
  rowFrom,
  type SqlRow,
  textIn,
  textsIn,
} from '../../../adapters/storage/lib/sql/cells.ts'
import {
  EVENT_COLUMNS,
  eventCells,
  KEY_COLUMNS,
  keyCells,
} from '../../../adapters/storage/lib/sql/columns.ts'
import {
  auditEventFrom,
  heldKeyFrom,
  keyRecordFrom,
} from '../../../adapters/storage/lib/sql/rows.ts'
import { sampleEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { type AuditEventRecord, EVENT_TYPES, type KeyRecord } from '../../../src/storage/index.ts'

const AT = '2026-01-01T00:00:00.000Z'
const FULL: Partial<KeyRecord> = {
  ...{ note: 'for the CRM', resources: { project: ['p_1'] }, networks: ['203.0.113.0/24'] },
  ...{ revokedAtMs: 4, replaces: 'key_0', replacedBy: 'key_2', expiresAtMs: 6, retiresAtMs: 5 },
  ...{ pausedAtMs: 3, pausedBy: { id: 'u_3', name: 'Omar' }, format: 'old', noticeAtMs: 5 },
  metadata: { team: 'sales' },
}
const broken = (column: string) => `a stored row is invalid: column "${column}"`

describe.each([
  ['new', sampleRecord()],
  ['long-lived', sampleRecord(FULL)],
])('the row of a %s key', (_, record) => {
  const row = { ...keyCells(record, 'ws_1'), edition: 2n, place: '7' }

  test('has a cell for each column, and means the same record in its workspace', () => {
    expect(KEY_COLUMNS.map(({ name }) => name).filter((name) => !(name in row))).toEqual([])
    const usage = { uses: '3', last_used_at_ms: 9n }
    const expected = { ...record, workspaceId: 'ws_1' }
    expect(keyRecordFrom(row)).toEqual(expected)
    expect(heldKeyFrom({ ...row, ...usage })).toEqual({
      ...{ record: expected, usage: { uses: 3, lastUsedAtMs: 9 }, edition: 2, place: 7 },
    })
    const unused = heldKeyFrom({ ...row, uses: null, last_used_at_ms: null })
    expect(unused.usage).toEqual({ uses: 0, lastUsedAtMs: null })
  })

  test.each([...KEY_COLUMNS.map(({ name }) => name), 'edition', 'place'])(
    'is refused for its %s',
    (column) => {
      const odd = { ...row, uses: null, last_used_at_ms: null, [column]: true }
      expect(() => heldKeyFrom(odd)).toThrow(broken(column))
    },
  )
})

test('a row is refused for half of who paused the key, and for metadata that are no texts', () => {
  const row = keyCells(sampleRecord(FULL), 'ws_1')
  expect(() => keyRecordFrom({ ...row, paused_by_id: null })).toThrow(broken('paused_by_name'))
  for (const metadata of ['[]', '{"a":1}', 'x', '{"a":{}}']) {
    expect(() => keyRecordFrom({ ...row, metadata })).toThrow(broken('metadata'))
  }
})

test('a hash is 32 bytes, or their digits', () => {
  const row = keyCells(sampleRecord(), 'ws_1')
  const bytes = Uint8Array.from({ length: 32 }, (_, at) => at * 8)
  expect(keyRecordFrom({ ...row, hash: bytes }).hash).toMatch(/^000810[0-9a-f]{54}e8f0f8$|^0008/)
  expect(() => keyRecordFrom({ ...row, hash: bytes.subarray(1) })).toThrow(broken('hash'))
})

const OWN: Readonly<Record<string, object>> = {
  'api_key.imported': { format: 'old' },
  'api_key.rotated': {
    ...{ replacementId: 'key_2', replacementPrefix: 'svc', replacementScopes: ['a'] },
    overlapEndsAt: AT,
  },
  'api_key.revoked': { endedOverlap: true, reason: 'leaked' },
  'api_key.expiring': { expiresAt: AT },
  'api_key.expired': { expiresAt: AT },
  'api_key.retired': { replacementId: 'key_2', overlapEndsAt: AT },
  'api_key.updated': {
    before: { name: 'A', scopes: ['a'], expiresAt: null, metadata: ['team'], note: null },
    after: { resources: {}, networks: 'any' },
  },
}

describe.each([...EVENT_TYPES])('the row of %s', (type) => {
  const sample = sampleEvent(sampleRecord({ workspaceId: 'ws_1' }))
  const event = { ...sample, type, data: { ...sample.data, ...OWN[type] } } as AuditEventRecord
  const row = eventCells(event, 'ws_1')

  test('has a cell for each column, and means the same event', () => {
    expect(Object.keys(row)).toEqual([...EVENT_COLUMNS])
    expect(auditEventFrom(row)).toEqual(event)
    const more = JSON.stringify({ ...event.data, more: 1 })
    expect(auditEventFrom({ ...row, data: more })).toEqual(event)
  })

  test('is refused for each of its columns, and for each part of its data', () => {
    for (const column of EVENT_COLUMNS) {
      expect(() => auditEventFrom({ ...row, [column]: true })).toThrow(broken(column))
    }
    for (const field of Object.keys(event.data)) {
      const data = { ...event.data, [field]: 7 }
      expect(() => auditEventFrom({ ...row, data })).toThrow(broken(field))
    }
  })
})

const oneOf = (row: SqlRow, column: string) => oneOfIn(row, column, ['live', 'test'])

test.each<readonly [(row: SqlRow, column: string) => unknown, unknown[], unknown[]]>([
  [textIn, ['', 'x'], [null, undefined, 7]],
  [optionalTextIn, ['x', null], [undefined, 7]],
  [integerIn, [0, -5], [2 ** 53, 2n ** 53n, '9007199254740993', 1.5, '1.5', 'x7', '', null, true]],
  [optionalIntegerIn, [7, null], [undefined, 'x']],
  [oneOf, ['live', 'test'], ['LIVE', null]],
  [textsIn, [['a'], []], ['["a",7]', [null], '{}', '[', '"a"', null]],
  [objectIn, [{ a: 1 }], ['[]', 'null', '7', '{', null]],
])('%o takes what it reads, and nothing else', (read, good, bad) => {
  for (const value of good) expect(read({ c: value }, 'c')).toEqual(value)
  for (const value of bad) expect(() => read({ c: value }, 'c')).toThrow(broken('c'))
})

test('a row is an object, and nothing else a driver may answer', () => {
  const row = { c: 1 }
  expect(rowFrom(row)).toBe(row)
  for (const other of [undefined, null, 7, 'x', [row]]) {
    expect(() => rowFrom(other)).toThrow('the driver returned something that is not a row')
  }
})
