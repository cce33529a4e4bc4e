import { describe, expect, test } from 'vitest'
import {
  checkIntegers,
  checkStorableEvent,
  checkStorableRecord,
  checkTexts,
  isStorableText,
} from '../../../adapters/storage/lib/storable.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRotateChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { AuditEventRecord, KeyRecord } from '../../../src/storage/index.ts'

const BAD_TEXTS = ['a\0b', 'a\ud800', '\udc00b']
const BAD_NUMBERS = [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]

const TEXT = {
  name: 'StorageError',
  code: 'unstorable_value',
  message: 'a text contains U+0000 or a lone surrogate',
}
const NUMBER = {
  name: 'StorageError',
  code: 'unstorable_value',
  message: 'a number is not a whole number within ±2^53',
}

describe('a text', () => {
  test.each(['', 'مفتاح', '🔑', '\u0001', '\n'])('%j comes back as it goes in', (text) => {
    expect(isStorableText(text)).toBe(true)
    expect(() => checkTexts(['a', text])).not.toThrow()
  })

  test.each(BAD_TEXTS)('%j does not', (text) => {
    expect(isStorableText(text)).toBe(false)
    expect(() => checkTexts(['a', text, 'b'])).toThrow(expect.objectContaining(TEXT))
  })
})

test('a number comes back when it is a whole one that doubles count exactly', () => {
  expect(() => checkIntegers([])).not.toThrow()
  expect(() => checkIntegers([0, -1, 2 ** 53 - 1])).not.toThrow()
  for (const number of BAD_NUMBERS) {
    expect(() => checkIntegers([0, number])).toThrow(expect.objectContaining(NUMBER))
  }
})

describe('a record', () => {
  const record = sampleRecord()

  test('that is good is taken, with and without what may be null', () => {
    expect(() => checkStorableRecord(record)).not.toThrow()
    const full = { lastUsedAtMs: 1, revokedAtMs: 2, replaces: 'key_a', replacedBy: 'key_b' }
    expect(() => checkStorableRecord({ ...record, ...full })).not.toThrow()
  })

  test.each(['id', 'workspaceId', 'name', 'prefix', 'replaces', 'replacedBy'] as const)(
    'is refused for its %s',
    (field) => {
      const broken = { ...record, [field]: 'a\0' } as KeyRecord
      expect(() => checkStorableRecord(broken)).toThrow(expect.objectContaining(TEXT))
    },
  )

  test.each([
    { creator: { id: '\0', name: 'n' } },
    { creator: { id: 'i', name: '\0' } },
    { scopes: ['a', '\0'] },
  ])('is refused for %j', (fields) => {
    expect(() => checkStorableRecord({ ...record, ...fields })).toThrow(
      expect.objectContaining(TEXT),
    )
  })

  test.each(['createdAtMs', 'lastUsedAtMs', 'uses', 'revokedAtMs'] as const)(
    'is refused for its %s',
    (field) => {
      const broken = { ...record, [field]: 0.5 }
      expect(() => checkStorableRecord(broken)).toThrow(expect.objectContaining(NUMBER))
    },
  )
})

describe('an event', () => {
  const record = sampleRecord()
  const created = sampleCreatedEvent(record)
  const rotated = sampleRotateChange(record).event

  test('that is good is taken', () => {
    expect(() => checkStorableEvent(created)).not.toThrow()
    expect(() => checkStorableEvent(rotated)).not.toThrow()
  })

  test.each([
    { id: '\0' },
    { workspaceId: '\0' },
    { keyId: '\0' },
    { actor: { id: '\0', name: 'n' } },
    { actor: { id: 'i', name: '\0' } },
    { data: { ...created.data, name: '\0' } },
    { data: { ...created.data, prefix: '\0' } },
    { data: { ...created.data, scopes: ['a', '\0'] } },
  ])('is refused for %j', (fields) => {
    const broken = { ...created, ...fields } as AuditEventRecord
    expect(() => checkStorableEvent(broken)).toThrow(expect.objectContaining(TEXT))
  })

  test.each(['replacementId', 'replacementPrefix', 'replacementScopes'])(
    'of a rotation is refused for %s',
    (field) => {
      const broken = { ...rotated, data: { ...rotated.data, [field]: '\0' } } as AuditEventRecord
      expect(() => checkStorableEvent(broken)).toThrow(expect.objectContaining(TEXT))
    },
  )

  test('is refused for its moment', () => {
    expect(() => checkStorableEvent({ ...created, atMs: 0.5 })).toThrow(
      expect.objectContaining(NUMBER),
    )
  })
})
