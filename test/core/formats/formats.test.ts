import { describe, expect, test } from 'vitest'
import type { DefaultScope, ImportKey, KeyFormat } from '../../../src/index.ts'
import type { ImportOptions } from '../../../src/keys/import-keys.ts'
import { FORMAT, importInput, OLD_SECRET, sha256 } from '../../support/lifecycle/import.ts'
import {
  ACTOR,
  fault,
  keyInput,
  openWorld,
  refusal,
  START_MS,
  thrown,
} from '../../support/world.ts'

const EARLIEST_MS = Date.parse('0000-01-01T00:00:00Z')
const bearer = (secret: string) => `Bearer ${secret}`

describe('the option formats', () => {
  test.each([
    [512, 'unknown'],
    [513, 'malformed'],
  ])('a text of %i characters is %s', async (length, reason) => {
    const world = openWorld({ formats: [FORMAT] })
    const answer = await world.keys.authenticateSecret('old_'.padEnd(length, 'a'), null)
    expect(answer).toMatchObject({ reason })
    expect(world.asked()).toHaveLength(reason === 'unknown' ? 1 : 0)
  })
})

describe('which format a text has', () => {
  test('its own form comes first, and no format is tried for such a key', async () => {
    const tested: string[] = []
    const test = (text: string) => tested.push(text) > 0
    const { keys } = openWorld({ formats: [{ id: 'greedy', test }] })
    const { secret } = await keys.createKey(keyInput())
    expect(await keys.authenticate(bearer(secret), null)).toMatchObject({ ok: true })
    expect((await keys.findKeyBySecret(secret))?.format).toBe(null)
    expect(tested).toEqual([])
    const mistyped = `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`
    expect(await keys.authenticate(bearer(mistyped), null)).toMatchObject({ reason: 'unknown' })
    expect(tested).toEqual([mistyped])
  })

  test('of two formats that accept a text the first decides, with one lookup', async () => {
    const second = { ...FORMAT, id: 'second' }
    const world = openWorld({ formats: [FORMAT, second] })
    await world.keys.importKeys([importInput({ format: 'second' })], { actor: ACTOR })
    world.asked()
    expect(await world.keys.authenticate(bearer(OLD_SECRET), null)).toMatchObject({
      reason: 'unknown',
    })
    expect(world.asked()).toEqual(['findByHash'])
    await world.keys.importKeys([importInput()], { actor: ACTOR })
    expect(await world.keys.authenticate(bearer(OLD_SECRET), null)).toMatchObject({ ok: true })
  })

  test('a text in no format is malformed, without a lookup', async () => {
    const world = openWorld({ formats: [FORMAT] })
    for (const text of ['nonsense', 'x'.repeat(505)]) {
      expect(await world.keys.authenticate(bearer(text), null)).toEqual({
        ok: false,
        reason: 'malformed',
      })
    }
    expect(await world.keys.authenticateSecret('old_'.repeat(200), null)).toMatchObject({
      reason: 'malformed',
    })
    expect(await world.keys.findKeyBySecret('nonsense')).toBe(null)
    expect(await world.keys.findKeyBySecret(7 as never)).toBe(null)
    expect(world.asked()).toEqual([])
  })

  test('digest may be async, as WebCrypto is', async () => {
    const digest = async (secret: string) => sha256(secret)
    const world = openWorld({ formats: [{ ...FORMAT, digest }] })
    await world.keys.importKeys([importInput()], { actor: ACTOR })
    expect(await world.keys.authenticateSecret(OLD_SECRET, null)).toMatchObject({ ok: true })
  })

  test.each<[string, Partial<KeyFormat>]>([
    ['a test that throws', { test: () => thrown(new Error('a bug')) }],
    ['a digest that throws', { digest: () => thrown(new Error('a bug')) }],
    ['a digest that rejects', { digest: async () => thrown(new Error('a bug')) }],
    ['a digest that never answers', { digest: () => new Promise(() => {}) }],
  ])('%s is an outage that names it', async (_title, broken) => {
    const world = openWorld({ formats: [{ ...FORMAT, ...broken }] })
    const outage = await fault(world.keys.authenticate(bearer(OLD_SECRET), null))
    expect(outage.operation).toBe('formats')
    expect(world.asked()).toEqual([])
    expect(world.events).toMatchObject([{ type: 'outage', operation: 'formats' }])
    expect(JSON.stringify(world.events)).not.toContain(OLD_SECRET)
  })

  test.each<[string, unknown]>([
    ['is empty', ''],
    ['has 1,025 characters', 'a'.repeat(1_025)],
    ['is bytes', new Uint8Array(32)],
  ])('a digest that %s is an outage that says why', async (_title, digest) => {
    const world = openWorld({ formats: [{ ...FORMAT, digest: () => digest as string }] })
    const call = world.keys.authenticate(bearer(OLD_SECRET), null)
    expect(await fault(call)).toMatchObject({
      operation: 'formats',
      cause: new TypeError('Format "old": "digest" must return 1 to 1,024 characters.'),
    })
    expect(world.asked()).toEqual([])
  })
})

describe('importKeys', () => {
  test('needs formats', async () => {
    const { keys } = openWorld()
    await expect(keys.importKeys([], { actor: ACTOR })).rejects.toEqual(
      new TypeError('importKeys needs the option "formats" of createApiKeys.'),
    )
  })

  test.each<[unknown, unknown, string[], string]>([
    [null, { actor: ACTOR }, [], 'invalid_type'],
    [{}, { actor: ACTOR }, [], 'invalid_type'],
    [Array(1_001).fill(importInput()), { actor: ACTOR }, [], 'too_long'],
    [[], null, [], 'invalid_type'],
    [[], {}, ['actor'], 'required'],
    [[], { actor: { id: '', name: 'x' } }, ['actor', 'id'], 'invalid_value'],
    [[], { actor: ACTOR, dryRun: 'yes' }, ['dryRun'], 'invalid_type'],
    [[], { actor: ACTOR, dry: true }, ['dry'], 'unknown_field'],
  ])('refuses a bad call and writes nothing (%#)', async (rows, options, path, code) => {
    const world = openWorld({ formats: [FORMAT] })
    const call = world.keys.importKeys(rows as ImportKey<DefaultScope>[], options as ImportOptions)
    expect((await refusal(call)).issues).toMatchObject([{ path, code }])
    expect(world.asked()).toEqual([])
  })

  const PAST = 'must be an instant in the past, in the year 0000 or later.'
  const PREFIX = 'must be 1 to 12 visible ASCII characters.'
  type Row = [fields: Record<string, unknown>, code: string, message?: string]
  test.each<Row>([
    [{ format: 'other' }, 'invalid_value', 'must be old.'],
    [{ format: undefined }, 'required'],
    [{ digest: '' }, 'invalid_value', 'must be 1 to 1,024 characters.'],
    [{ digest: 'a'.repeat(1_025) }, 'invalid_value'],
    [{ digest: 7 }, 'invalid_type'],
    [{ externalId: '' }, 'invalid_value'],
    [{ externalId: 7 }, 'invalid_type'],
    [{ externalId: 'a'.repeat(256) }, 'invalid_value'],
    [{ prefix: '' }, 'invalid_value'],
    [{ prefix: '1234567890123' }, 'invalid_value', PREFIX],
    [{ prefix: 'a b' }, 'invalid_value', PREFIX],
    [{ prefix: 'مفتاح' }, 'invalid_value'],
    ...['yesterday', new Date(Number.NaN), new Date(START_MS + 1), new Date(EARLIEST_MS - 1)].map(
      (createdAt): Row => [{ createdAt }, 'invalid_value', PAST],
    ),
    [{ scopes: [] }, 'required'],
    [{ workspaceId: '' }, 'invalid_value'],
    [{ secret: OLD_SECRET }, 'unknown_field'],
  ])(
    'a row with %j is invalid, and the others are stored',
    async (fields, code, message = expect.any(String)) => {
      const world = openWorld({ formats: [FORMAT] })
      const rows = [importInput({ digest: 'a' }), importInput(fields), null as never, importInput()]
      const results = await world.keys.importKeys(rows, { actor: ACTOR })
      expect(results).toMatchObject([
        { outcome: 'imported' },
        { outcome: 'invalid', issues: [{ path: Object.keys(fields), code, message }] },
        { outcome: 'invalid', issues: [{ path: [], code: 'invalid_type' }] },
        { outcome: 'imported' },
      ])
      expect(Object.isFrozen(results)).toBe(true)
    },
  )

  test('1,000 rows are taken, and a key of the year 0000', async () => {
    const { keys } = openWorld({ formats: [FORMAT] })
    const rows = Array.from({ length: 999 }, () => importInput())
    const first = importInput({ digest: 'a', createdAt: new Date(EARLIEST_MS) })
    const results = await keys.importKeys([first, ...rows], { actor: ACTOR })
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['imported', 'exists']))
  })

  test('an outage ends the call, and the rows before it stay', async () => {
    const world = openWorld({ formats: [FORMAT] })
    let inserts = 0
    const down = Object.assign(new Error('down'), { code: 'unavailable' })
    world.misbehaviour.write = (...args: never[]) => {
      inserts += 1
      if (inserts === 2) throw down
      return Reflect.apply(world.stored.write, world.stored, args)
    }
    const rows = ['a', 'b', 'c'].map((digest) => importInput({ digest }))
    expect((await fault(world.keys.importKeys(rows, { actor: ACTOR }))).operation).toBe(
      'importKeys',
    )
    expect(await world.keys.importKeys(rows, { actor: ACTOR })).toMatchObject([
      { outcome: 'exists' },
      { outcome: 'imported' },
      { outcome: 'imported' },
    ])
  })

  test('a row that is refused although nothing of it is there is an outage', async () => {
    const world = openWorld({ formats: [FORMAT] })
    world.misbehaviour.write = async () => [{ outcome: 'refused' }]
    const { operation } = await fault(world.keys.importKeys([importInput()], { actor: ACTOR }))
    expect(operation).toBe('importKeys')
  })

  test('reads each plan once', async () => {
    const world = openWorld({ formats: [FORMAT] })
    const rows = ['a', 'b', 'c'].map((digest) => importInput({ digest }))
    await world.keys.importKeys(rows, { actor: ACTOR })
    expect(world.asked().filter((verb) => verb === 'entitlements')).toHaveLength(1)
  })
})
