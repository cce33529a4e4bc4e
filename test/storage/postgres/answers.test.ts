import { describe, expect, test } from 'vitest'
import * as answers from '../../../adapters/storage/lib/postgres/answers.ts'
import { sampleRecord } from '../../../adapters/storage/testing/samples.ts'

/* The contract reads valid answers. */

const broken = expect.objectContaining({ name: 'StorageError', code: 'broken_row' })

const READERS = {
  insertOutcome: answers.insertOutcome,
  revokeOutcome: answers.revokeOutcome,
  rotateOutcome: answers.rotateOutcome,
  updateOutcome: answers.updateOutcome,
  erasureOutcome: answers.erasureOutcome,
  key: answers.key,
  keyPage: (answer: string | null) => answers.keyPage(answer, 2),
  eventPage: answers.eventPage,
  events: answers.events,
} as const

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

/** A key as `stored_key` writes it. */
const { id, hash, name, prefix, environment, scopes } = sampleRecord()
const KEY = {
  ...{ id, hash, name, prefix, environment, scopes, workspace_id: 'ws', metadata: {} },
  ...{ creator_id: 'u', creator_name: 'n', created_at_ms: 1, version: 1, updated_at_ms: 1 },
  ...{ revoked_at_ms: null, replaces: null, replaced_by: null, expires_at_ms: null, format: null },
  ...{ paused_at_ms: null, paused_by_id: null, paused_by_name: null, retires_at_ms: null },
  ...{ note: null, resources: {}, networks: 'any', uses: 3, last_used_at_ms: 5 },
}
const both = { replaced: KEY, replacement: KEY }
const PAGE = { isKnown: true, activeKeys: 9, total: 7, records: [] }

test('the control: the key that the other answers hold is valid', () => {
  expect(answers.key(JSON.stringify(KEY))).toMatchObject({ id, uses: 3, lastUsedAtMs: 5 })
})

test.each<readonly [keyof typeof READERS, object]>([
  ...[{}, { inserted: false }, { inserted: 'true' }, { inserted: false, activeKeys: 'x' }].map(
    (answer) => ['insertOutcome', answer] as const,
  ),
  ...[{ keys: 1 }, { keys: 'x', events: 1 }].map((answer) => ['erasureOutcome', answer] as const),
  ...['revoked', 'already_revoked'].map((outcome) => ['revokeOutcome', { outcome }] as const),
  ...['', 'rotated', null].map((outcome) => ['revokeOutcome', { outcome, record: KEY }] as const),
  ...['', 'revoked', null].map((outcome) => ['rotateOutcome', { outcome, ...both }] as const),
  ...['stale', 'too_many_retiring'].map((outcome) => ['rotateOutcome', { outcome }] as const),
  ['rotateOutcome', { outcome: 'rotated', replaced: KEY }],
  ['rotateOutcome', { outcome: 'rotated', replacement: KEY }],
  ...['updated', 'stale'].map((outcome) => ['updateOutcome', { outcome }] as const),
  ['key', { ...KEY, hash: 7 }],
  ['key', { ...KEY, uses: undefined }],
  ['keyPage', { ...PAGE, records: {} }],
  ['keyPage', { isKnown: true, records: [] }],
  ['eventPage', { isKnown: true, records: 7 }],
  ['eventPage', { isKnown: true, records: [7] }],
  ['events', { 0: {} }],
])('%s of %j is invalid', (reader, answer) => {
  expect(() => READERS[reader](JSON.stringify(answer))).toThrow(broken)
})

test.each([false, null, 'true', 1])('a page after what is not known (%j) is none', (isKnown) => {
  expect(answers.keyPage(JSON.stringify({ ...PAGE, isKnown }), 2)).toBeNull()
  expect(answers.eventPage(JSON.stringify({ ...PAGE, isKnown }))).toBeNull()
})
