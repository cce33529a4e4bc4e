import { describe, expect, test } from 'vitest'
import * as answers from '../../../adapters/storage/lib/postgres/answers.ts'
import { sampleCreatedEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'

const record = sampleRecord()
const stored = { ...record, uses: 3, lastUsedAtMs: 5 }
const event = sampleCreatedEvent(record)
const broken = expect.objectContaining({ name: 'StorageError', code: 'broken_row' })

/** A key as `stored_key` writes it. */
const KEY = {
  ...{ hash: record.hash, id: record.id, workspace_id: record.workspaceId, name: record.name },
  ...{ environment: record.environment, scopes: record.scopes, prefix: record.prefix },
  ...{ creator_id: record.creator.id, creator_name: record.creator.name },
  ...{ created_at_ms: record.createdAtMs, last_used_at_ms: 5, uses: 3, revoked_at_ms: null },
  ...{ replaces: null, replaced_by: null, version: 1, updated_at_ms: record.updatedAtMs },
  ...{ expires_at_ms: null, paused_at_ms: null, paused_by_id: null, paused_by_name: null },
  ...{ retires_at_ms: null, note: null, resources: {}, networks: 'any' },
  ...{ metadata: {}, format: null },
}

/** An event as a row. */
const EVENT = {
  ...{ id: event.id, type: event.type, at_ms: event.atMs, workspace_id: event.workspaceId },
  ...{ actor_id: event.actor.id, actor_name: event.actor.name, key_id: event.keyId },
  data: event.data,
}

const json = (answer: unknown) => JSON.stringify(answer)

const READERS = {
  insertOutcome: answers.insertOutcome,
  revokeOutcome: answers.revokeOutcome,
  rotateOutcome: answers.rotateOutcome,
  updateOutcome: answers.updateOutcome,
  key: answers.key,
  keyPage: (answer: string | null) => answers.keyPage(answer, 2),
  eventPage: answers.eventPage,
  events: answers.events,
}

describe.each(Object.entries(READERS))('%s', (name, read) => {
  test.each(['', '{', 'standby ', '7', 'true', '"text"'])('of %j is invalid', (answer) => {
    expect(() => read(answer)).toThrow(broken)
  })

  test('of no row at all', () => {
    if (name === 'key') expect(read(null)).toBeNull()
    else if (name === 'events') expect(read(null)).toEqual([])
    else expect(() => read(null)).toThrow(broken)
  })
})

test('an invalid answer is not quoted', () => {
  expect(() => answers.key('{secret')).toThrow(/^the answer of the server is invalid$/)
  expect(() => answers.events('{"secret":1}')).toThrow(/^the answer of the server is invalid$/)
})

describe('an insert', () => {
  test('was made, or met the limit', () => {
    expect(answers.insertOutcome(json({ inserted: true, other: 1 }))).toEqual({ inserted: true })
    const full = { inserted: false, activeKeys: 5 }
    expect(answers.insertOutcome(json(full))).toEqual(full)
    for (const inserted of ['true', 1, null])
      expect(answers.insertOutcome(json({ inserted, activeKeys: 5 }))).toEqual(full)
  })

  test('met an erased workspace', () => {
    const closed = { inserted: false, isErased: true }
    expect(answers.insertOutcome(json(closed))).toEqual(closed)
  })

  test.each([{}, { inserted: false }, { inserted: false, activeKeys: 'x' }])('%j', (answer) => {
    expect(() => answers.insertOutcome(json(answer))).toThrow(broken)
  })
})

describe('a step of an erasure', () => {
  test('with the entry to wait for, and without', () => {
    const done = { keys: 1, events: 2, more: true }
    expect(answers.erasureOutcome(json(done))).toEqual(done)
    const logged = { ...done, more: false, sequence: 7 }
    expect(answers.erasureOutcome(json(logged))).toEqual(logged)
  })

  test.each([{}, { keys: 1 }, { keys: 'x', events: 1 }])('%j', (answer) => {
    expect(() => answers.erasureOutcome(json(answer))).toThrow(broken)
  })
})

describe('a revocation', () => {
  test.each(['revoked', 'already_revoked'] as const)('%s', (outcome) => {
    expect(answers.revokeOutcome(json({ outcome, record: KEY }))).toEqual({
      outcome,
      record: stored,
    })
    expect(() => answers.revokeOutcome(json({ outcome }))).toThrow(broken)
  })

  test('of no key', () => {
    const outcome = 'not_found'
    expect(answers.revokeOutcome(json({ outcome, record: KEY }))).toEqual({ outcome })
  })

  test.each(['', 'rotated', null])('%j is no outcome', (outcome) => {
    expect(() => answers.revokeOutcome(json({ outcome, record: KEY }))).toThrow(broken)
  })
})

describe('a rotation', () => {
  const both = { replaced: KEY, replacement: { ...KEY, id: 'key_2' } }

  test('with both keys', () => {
    const outcome = 'rotated'
    const replacement = { ...stored, id: 'key_2' }
    const expected = { outcome, replaced: stored, replacement }
    expect(answers.rotateOutcome(json({ outcome, ...both }))).toEqual(expected)
    expect(() => answers.rotateOutcome(json({ outcome, replaced: KEY }))).toThrow(broken)
    expect(() => answers.rotateOutcome(json({ outcome, replacement: KEY }))).toThrow(broken)
  })

  test('of no key', () => {
    const outcome = 'not_found'
    expect(answers.rotateOutcome(json({ outcome, ...both }))).toEqual({ outcome })
  })

  test('that was refused', () => {
    const stale = { outcome: 'stale', record: KEY }
    expect(answers.rotateOutcome(json(stale))).toEqual({ outcome: 'stale', record: stored })
    const full = { outcome: 'too_many_retiring', retiringKeys: 5 }
    expect(answers.rotateOutcome(json(full))).toEqual(full)
    expect(() => answers.rotateOutcome(json({ outcome: 'stale' }))).toThrow(broken)
    expect(() => answers.rotateOutcome(json({ outcome: full.outcome }))).toThrow(broken)
  })

  test.each(['', 'revoked', null])('%j is no outcome', (outcome) => {
    expect(() => answers.rotateOutcome(json({ outcome, ...both }))).toThrow(broken)
  })
})

describe('an update', () => {
  test.each(['updated', 'stale'] as const)('%s', (outcome) => {
    const expected = { outcome, record: stored }
    expect(answers.updateOutcome(json({ outcome, record: KEY }))).toEqual(expected)
    expect(() => answers.updateOutcome(json({ outcome }))).toThrow(broken)
  })

  test('of no key', () => {
    const outcome = 'not_found'
    expect(answers.updateOutcome(json({ outcome, record: KEY }))).toEqual({ outcome })
  })
})

describe('records', () => {
  test('one', () => {
    expect(answers.key(json(KEY))).toEqual(stored)
    expect(() => answers.key(json({ ...KEY, hash: 7 }))).toThrow(broken)
    expect(() => answers.key(json({ ...KEY, uses: undefined }))).toThrow(broken)
  })

  test.each([
    [[], false],
    [[KEY, KEY], false],
    [[KEY, KEY, KEY], true],
    [null, false],
  ])('a page of %#', (records, more) => {
    const page = { isKnown: true, activeKeys: 9, total: 7, records }
    const held = (records ?? []).slice(0, 2).map(() => stored)
    expect(answers.keyPage(json(page), 2)).toEqual({ records: held, more, activeKeys: 9, total: 7 })
  })

  test.each([false, null, 'true', 1])('a page after what is not known (%j)', (isKnown) => {
    const page = { isKnown, activeKeys: 9, total: 7, records: [] }
    expect(answers.keyPage(json(page), 2)).toBeNull()
    expect(answers.eventPage(json(page))).toBeNull()
  })

  test.each([
    { isKnown: true, activeKeys: 9, total: 7, records: {} },
    { isKnown: true, records: [] },
  ])('a page of %j is invalid', (page) =>
    expect(() => answers.keyPage(json(page), 2)).toThrow(broken),
  )
})

describe('events', () => {
  test('in a page', () => {
    expect(answers.eventPage(json({ isKnown: true, records: [EVENT] }))).toEqual([event])
    expect(answers.eventPage(json({ isKnown: true, records: null }))).toEqual([])
    expect(() => answers.eventPage(json({ isKnown: true, records: 7 }))).toThrow(broken)
    expect(() => answers.eventPage(json({ isKnown: true, records: [7] }))).toThrow(broken)
  })

  test('in a list', () => {
    expect(answers.events(json([EVENT, EVENT]))).toEqual([event, event])
    expect(() => answers.events(json({ 0: EVENT }))).toThrow(broken)
  })
})
