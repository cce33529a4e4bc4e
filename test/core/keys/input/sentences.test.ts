import { describe, expect, test } from 'vitest'
import { checkerOf } from '../../../../src/http/index.ts'
import { FORMAT, importInput } from '../../../support/lifecycle/import.ts'
import { ACTOR, keyInput, openWorld, refusal, START_MS } from '../../../support/world.ts'

/* What is said of the inputs of operations other than create, as people read it. */

const STATUSES = 'must be one of: active, retiring, paused, expired, revoked.'
const INSTANT = 'must be an instant with an offset.'
const DATE = 'must be a date.'
const PAST = 'must be an instant in the past, in the year 0000 or later.'
const EARLIEST_MS = Date.parse('0000-01-01T00:00:00Z')
const HOUR = 'must be at least an hour ago.'
const HOUR_MS = 3_600_000

const texts = (count: number, value = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, value]))
/** Metadata that takes this many bytes as JSON. */
const ofBytes = (bytes: number) => {
  const values = { ...texts(8, 'a'.repeat(500)), rest: '' }
  return { ...values, rest: 'a'.repeat(bytes - JSON.stringify(values).length) }
}

async function said(call: Promise<unknown>): Promise<string> {
  return (await refusal(call)).message.replace('The input is not valid: ', '')
}

describe('metadata', () => {
  test.each<[unknown, string]>([
    ['team', 'metadata: must be an object whose values are text.'],
    [null, 'metadata: must be an object whose values are text.'],
    [['team'], 'metadata: must be an object whose values are text.'],
    [texts(21), 'metadata: must have at most 20 entries.'],
    [{ 'a b': 'x' }, 'metadata: has an entry whose name is not allowed.'],
    [{ constructor: 'x' }, 'metadata: has an entry whose name is not allowed.'],
    [JSON.parse('{"__proto__":"x"}'), 'metadata: has an entry whose name is not allowed.'],
    [{ prototype: 'x' }, 'metadata: has an entry whose name is not allowed.'],
    [{ '': 'x' }, 'metadata: has an entry whose name is not allowed.'],
    [{ ['n'.repeat(41)]: 'x' }, 'metadata: has an entry whose name is not allowed.'],
    [{ team: 7 }, 'metadata.team: must be text.'],
    [{ team: '\0' }, 'metadata.team: must be text without NUL.'],
    [{ team: '\ud800' }, 'metadata.team: must be text without NUL.'],
    [{ team: 'x'.repeat(501) }, 'metadata.team: must have at most 500 characters.'],
    [ofBytes(4_097), 'metadata: must have at most 4096 bytes as JSON.'],
    [texts(12, 'م'.repeat(200)), 'metadata: must have at most 4096 bytes as JSON.'],
  ])('%j', async (metadata, sentence) => {
    const { keys } = openWorld()
    expect(await said(keys.createKey(keyInput({ metadata })))).toBe(sentence)
  })

  test.each([
    [texts(20)],
    [{ ['n'.repeat(40)]: '🔑'.repeat(500) }],
    [{ newline: 'a\nb', price: '5 €' }],
    [ofBytes(4_096)],
  ])('%j is fine', async (metadata) => {
    const { key } = await openWorld().keys.createKey(keyInput({ metadata }))
    expect(key.metadata).toEqual(metadata)
  })
})

describe('filters of a list', () => {
  test.each<[Record<string, unknown>, string]>([
    [{ status: [] }, 'status: must name at least one.'],
    [{ status: ['active', 'gone'] }, `status.1: ${STATUSES}`],
    [{ status: [7] }, 'status.0: must be text.'],
    [{ status: 7 }, 'status: must be text.'],
    [{ status: [...Array(50).fill('active'), 'nonsense'] }, 'status: must name at most 50.'],
    [{ scope: 'no' }, 'scope: is not a scope of the catalogue.'],
    [{ scope: 7 }, 'scope: must be text.'],
    [{ search: ' ' }, 'search: must not be blank.'],
    [{ search: 7 }, 'search: must be text, not a number.'],
    [{ search: 'a'.repeat(121) }, 'search: must have at most 120 characters.'],
    [{ unusedForDays: 0 }, 'unusedForDays: must be at least 1.'],
  ])('%j', async (filter, sentence) => {
    const { keys } = openWorld()
    expect(await said(keys.listKeys({ workspaceId: 'ws_1', ...filter }))).toBe(sentence)
  })

  test('a list of statuses that cannot be read', async () => {
    const { keys } = openWorld()
    const get = () => {
      throw new Error('a trap')
    }
    const status: 'active'[] = Object.defineProperty(['active'], 0, { get })
    expect(await said(keys.listKeys({ workspaceId: 'ws_1', status }))).toBe(
      'status: must be a list.',
    )
  })

  test('50 statuses are fine', async () => {
    const { keys } = openWorld()
    const status = Array(50).fill('active')
    expect((await keys.listKeys({ workspaceId: 'ws_1', status })).keys).toEqual([])
  })

  test('a search of 120 characters is fine', async () => {
    const { keys } = openWorld()
    const search = '🔑'.repeat(120)
    expect((await keys.listKeys({ workspaceId: 'ws_1', search })).keys).toEqual([])
  })
})

describe('a usage query', () => {
  const query = { workspaceId: 'ws_1', from: new Date(0), to: new Date(HOUR_MS) }
  test.each<[Record<string, unknown>, string]>([
    [{ from: 'yesterday' }, `from: ${INSTANT}`],
    [{ to: '2026-01-01T00:00:00' }, `to: ${INSTANT}`],
    [{ to: new Date(Number.NaN) }, `to: ${INSTANT}`],
    [{ by: 'day' }, 'by: is not a known field.'],
    [{}, 'from: must not be earlier than the oldest hour that is kept.'],
  ])('%j', async (fields, sentence) => {
    const { keys } = openWorld({ usageHistory: {} })
    expect(await said(keys.keyUsage({ ...query, ...fields } as never))).toBe(sentence)
  })
})

test('a reason of a revocation is one of three', () => {
  const { keys } = openWorld()
  const check = () => checkerOf(keys).revocation({ reason: 'stolen' })
  expect(check).toThrow('reason: must be one of: leaked, unused, other.')
})

describe('an erasure', () => {
  const id = 'must be 1 to 255 characters without control characters.'

  test('of nobody', async () => {
    const { keys } = openWorld()
    expect(await said(keys.erasePerson({ personId: '' }))).toBe(`personId: ${id}`)
    expect(await said(keys.erasePerson({} as never))).toBe('personId: is required.')
    expect(await said(keys.eraseWorkspace({ workspaceId: 'a\0' }))).toBe(`workspaceId: ${id}`)
    const more = { workspaceId: 'ws_1', id: 1 }
    expect(await said(keys.eraseWorkspace(more))).toBe('id: is not a known field.')
  })
})

describe('a purge', () => {
  test.each<[Record<string, unknown>, string]>([
    [{}, 'input: needs endedBefore, eventsBefore or both.'],
    [{ endedBefore: undefined }, 'input: needs endedBefore, eventsBefore or both.'],
    [{ endedBefore: 5 }, `endedBefore: ${DATE}`],
    [{ endedBefore: new Date(START_MS - HOUR_MS + 1) }, `endedBefore: ${HOUR}`],
    [{ endedBefore: '2026-01-01T00:00:00Z' }, `endedBefore: ${DATE}`],
    [{ eventsBefore: new Date(Number.NaN) }, `eventsBefore: ${DATE}`],
    [{ endedBefore: new Date(Date.UTC(9999, 0)) }, `endedBefore: ${HOUR}`],
  ])('%j', async (fields, sentence) => {
    expect(await said(openWorld().keys.purge(fields))).toBe(sentence)
  })

  test('needs one of its two instants', async () => {
    const long = new Date(0)
    const hour = new Date(START_MS - HOUR_MS)
    for (const fields of [{ endedBefore: hour }, { eventsBefore: long }]) {
      expect(await openWorld().keys.purge(fields)).toEqual({ keys: 0, events: 0 })
    }
  })
})

describe('an expiry', () => {
  test.each<[unknown, string]>([
    ['tomorrow', INSTANT],
    [7, INSTANT],
    [new Date(0), 'must be at least 60 seconds ahead and at most in the year 9999.'],
  ])('%j', async (expiresAt, sentence) => {
    const { keys } = openWorld()
    expect(await said(keys.createKey(keyInput({ expiresAt })))).toBe(`expiresAt: ${sentence}`)
  })
})

test('a flag is true or false', async () => {
  const { keys } = openWorld({ formats: [FORMAT] })
  const newestFirst = 'yes' as never
  expect(await said(keys.listEvents({ workspaceId: 'ws_1', newestFirst }))).toBe(
    'newestFirst: must be true or false.',
  )
  const dryRun = 1 as never
  expect(await said(keys.importKeys([], { actor: ACTOR, dryRun }))).toBe(
    'dryRun: must be true or false.',
  )
})

describe('imported keys', () => {
  const open = () => openWorld({ formats: [FORMAT] }).keys

  test('more than 1,000', async () => {
    const rows = Array.from({ length: 1_001 }, () => importInput())
    expect(await said(open().importKeys(rows, { actor: ACTOR }))).toBe(
      'input: must be at most 1000 rows.',
    )
  })

  test('1,000 are fine', async () => {
    const rows = Array.from({ length: 1_000 }, () => importInput())
    expect(await open().importKeys(rows, { actor: ACTOR })).toHaveLength(1_000)
  })

  test('of the year 0000 are fine', async () => {
    const keys = open()
    const createdAt = new Date(EARLIEST_MS)
    await keys.importKeys([importInput({ createdAt })], { actor: ACTOR })
    const { keys: listed } = await keys.listKeys({ workspaceId: 'ws_1' })
    expect(listed[0]?.createdAt).toEqual(createdAt)
  })

  test.each<[Record<string, unknown>, string]>([
    [{ digest: '' }, 'must be 1 to 1,024 characters.'],
    [{ prefix: 'x'.repeat(13) }, 'must be 1 to 12 visible ASCII characters.'],
    [{ prefix: 'a b' }, 'must be 1 to 12 visible ASCII characters.'],
    [{ format: 'other' }, 'must be old.'],
    [{ createdAt: 'soon' }, PAST],
    [{ createdAt: new Date(START_MS + 1) }, PAST],
    [{ createdAt: new Date(EARLIEST_MS - 1) }, PAST],
    [{ createdAt: new Date(-8.64e15) }, PAST],
  ])('a row with %j', async (fields, message) => {
    const [result] = await open().importKeys([importInput(fields)], { actor: ACTOR })
    expect(result).toMatchObject({ outcome: 'invalid', issues: [{ message }] })
  })
})
