import { describe, expect, test } from 'vitest'
import { isStorableText, storable, storableRecord } from '../../../adapters/storage/lib/storable.ts'
import {
  sampleRecord,
  sampleRotateChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { AuditEventRecord } from '../../../src/storage/index.ts'

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
    expect(storable(['a', text])).toEqual(['a', text])
  })

  test.each(BAD_TEXTS)('%j does not', (text) => {
    expect(isStorableText(text)).toBe(false)
    expect(() => storable(['a', text, 'b'])).toThrow(expect.objectContaining(TEXT))
    expect(() => storable({ [text]: 1 })).toThrow(expect.objectContaining(TEXT))
  })
})

test('a number comes back when it is a whole one that doubles count exactly', () => {
  const numbers = [0, -1, 2 ** 53 - 1, null, undefined, true]
  expect(storable(numbers)).toBe(numbers)
  for (const number of BAD_NUMBERS) {
    expect(() => storable({ a: [0, number] })).toThrow(expect.objectContaining(NUMBER))
  }
})

describe('a record', () => {
  const record = sampleRecord()

  test('that is good is taken, with and without what may be null', () => {
    expect(() => storableRecord(record)).not.toThrow()
    const full = { lastUsedAtMs: 1, revokedAtMs: 2, replaces: 'key_a', replacedBy: 'key_b' }
    expect(() => storableRecord({ ...record, ...full })).not.toThrow()
  })

  test.each([
    [{ replaces: 'a\0' }, TEXT],
    [{ creator: { id: 'i', name: '\0' } }, TEXT],
    [{ scopes: ['a', '\0'] }, TEXT],
    [{ metadata: { '\0': 'a' } }, TEXT],
    [{ revokedAtMs: 0.5 }, NUMBER],
    [{ hash: 'AB'.repeat(32) }, { message: 'a hash must be 64 lower-case hex digits' }],
  ])('is refused for %j', (fields, error) => {
    const broken = { ...record, ...fields }
    expect(() => storableRecord(broken)).toThrow(expect.objectContaining(error))
  })
})

describe('an event', () => {
  const { event } = sampleRotateChange(sampleRecord())

  test('that is good is taken', () => {
    expect(() => storable(event)).not.toThrow()
  })

  test.each([
    [{ id: '\0' }, TEXT],
    [{ actor: { id: 'i', name: '\0' } }, TEXT],
    [{ data: { ...event.data, replacementScopes: ['a', '\0'] } }, TEXT],
    [{ atMs: 0.5 }, NUMBER],
  ])('is refused for %j', (fields, error) => {
    const broken = { ...event, ...fields } as AuditEventRecord
    expect(() => storable(broken)).toThrow(expect.objectContaining(error))
  })
})
