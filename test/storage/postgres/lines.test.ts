import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KeyLines } from '../../../adapters/storage/lib/postgres/key-line.ts'
import { arrayIn, fieldsIn } from '../../../adapters/storage/lib/postgres/literals.ts'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleCreatedEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { type SharedPostgres, sharedPostgres } from '../../support/postgres/shared.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres-database.ts'
import { runs } from '../../support/runs.ts'

let server: SharedPostgres
let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  server = await sharedPostgres()
  database = await testDatabase(server)
  pool = database.pool()
})

afterAll(async () => {
  await database.close()
  await server.dispose()
})

/** Texts of what a literal treats in its own way, and of anything else. */
const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom('"', '\\', ',', '(', ')', '{', '}', ' ', '\n', 'a', 'NULL', 'م', '😀'),
  }),
  fc.string({ unit: 'grapheme' }).filter((any) => !any.includes('\0')),
)

const broken = { code: 'broken_row', message: 'a text of the server makes no sense' }

describe('what the server writes', () => {
  test('rows of any texts are read as they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text), { minLength: 2, maxLength: 6 }), async (row) => {
        const columns = row.map((_, at) => `$${at + 1}::text`).join(', ')
        const { rows } = await pool.query(`SELECT ROW(${columns})::text AS line`, row)
        expect(fieldsIn(rows[0].line)).toEqual(row)
      }),
      { numRuns: runs(300) },
    )
  })

  test('arrays of any texts are read as they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text), async (texts) => {
        const { rows } = await pool.query('SELECT $1::text[]::text AS line', [texts])
        expect(arrayIn(rows[0].line)).toEqual(texts)
      }),
      { numRuns: runs(300) },
    )
  })

  test('a key of such texts comes out of a lookup as it went in', async () => {
    const storage = postgresStorage(pool)
    const texts = ['"a", \\b', '(c,)', '{NULL}', 'NULL', 'سطر\nجديد']
    const record = sampleRecord({
      name: texts.join(''),
      scopes: texts,
      creator: { id: texts.join('"'), name: texts.join('\\') },
    })
    await storage.insert(record, null, sampleCreatedEvent(record))
    const both = await Promise.all([0, 1].map(() => storage.findByHash(record.hash)))
    expect(both).toEqual([record, record])
  })
})

test('a field of nothing but what stands twice is read once', () => {
  expect(fieldsIn('("""","\\\\","",a)')).toEqual(['"', '\\', '', 'a'])
})

test.each(['', '(', 'a', '(a', 'a)', '("a)', '("a"b)', '(a,"b)'])('no row: %j', (line) => {
  expect(() => fieldsIn(line)).toThrow(expect.objectContaining(broken))
})

test.each([
  '',
  '{',
  '}',
  'a',
  'a}',
  '{a,}',
  '{,a}',
  '{"a}',
  '{a"b"}',
  '{NULL}',
  '{a,NULL}',
  '{{a}}',
])('no array of texts: %j', (line) => {
  expect(() => arrayIn(line)).toThrow(expect.objectContaining(broken))
})

test('what stands behind a backslash is what it is, whatever it is', () => {
  expect(arrayIn('{}')).toEqual([])
  expect(arrayIn('{"",a}')).toEqual(['', 'a'])
  expect(arrayIn('{"a\\\nb\\\\c\\"","d\n"}')).toEqual(['a\nb\\c"', 'd\n'])
})

describe('lines that are read again', () => {
  const line = (hash: string, uses: number) =>
    `(${hash},,${uses},,,{a},key_1,ws,n,live,svc_live_abc,u,N,5,)`
  const hash = 'a'.repeat(64)
  const quoted = (value: string | null) =>
    value === null ? '' : `"${value.replaceAll(/["\\]/g, '$&$&')}"`
  const written = (key: Partial<KeyRecord>) =>
    `(${hash},${key.lastUsedAtMs ?? ''},${key.uses},${key.revokedAtMs ?? ''},${
      key.replacedBy === 'key_2' ? 'key_2' : quoted(key.replacedBy ?? null)
    },{${key.scopes}},key_1,ws,${quoted(key.name ?? '')},live,svc_live_abc,u,N,5,${quoted(key.replaces ?? null)})`

  test('the same line gives the same record, which nobody can change', () => {
    const lines = new KeyLines()
    const record = lines.read(line(hash, 1))
    expect(record).toMatchObject({ hash, uses: 1, lastUsedAtMs: null, scopes: ['a'] })
    expect(lines.read(line(hash, 1))).toBe(record)
    expect([record, record.scopes, record.creator].every(Object.isFrozen)).toBe(true)
  })

  test('another line of the same key is read', () => {
    const lines = new KeyLines()
    const first = lines.read(line(hash, 1))
    expect(first.uses).toBe(1)
    expect(lines.read(line(hash, 2)).uses).toBe(2)
    expect(lines.read(line(hash, 1))).toEqual(first)
    // No more than one line of a key is held.
    expect(lines.read(line(hash, 1))).not.toBe(first)
  })

  test('of a key whose state alone has changed, the rest is not read again', () => {
    const lines = new KeyLines()
    const before = lines.read(line(hash, 1))
    const after = lines.read(line(hash, 1).replace(',,1,,,', ',7,2,8,key_2,'))
    expect(after).toEqual({
      ...before,
      lastUsedAtMs: 7,
      uses: 2,
      revokedAtMs: 8,
      replacedBy: 'key_2',
    })
    expect(after.scopes).toBe(before.scopes)
    expect(after.creator).toBe(before.creator)
    expect(Object.isFrozen(after)).toBe(true)
    expect(lines.read(line(hash, 1))).toEqual(before)
  })

  test.each(['{b}', '{}', '"{a,b}"'])('scopes that have changed are read: %s', (scopes) => {
    const lines = new KeyLines()
    for (const state of [',,1,,', ',7,1,8,key_2']) {
      const before = line(hash, 1).replace(',,1,,', state)
      const after = before.replace('{a}', scopes)
      expect(lines.read(before).scopes).toEqual(['a'])
      expect(lines.read(after)).toEqual(new KeyLines().read(after))
    }
  })

  test('what was read before makes no difference', () => {
    const id = fc.constantFrom('key_2', 'a,b', 'a"b', '")', '\\', '(', ' ')
    const instant = fc.option(fc.nat())
    const fields = fc.record({
      scopes: fc.constantFrom(['a'], ['b']),
      lastUsedAtMs: instant,
      uses: fc.nat(),
      revokedAtMs: instant,
      replacedBy: fc.option(id),
      name: fc.constantFrom('n', ',n', 'n,,,'),
      replaces: fc.option(id),
    })
    fc.assert(
      fc.property(fields, fields, (before, after) => {
        const lines = new KeyLines()
        lines.read(written(before))
        expect(lines.read(written(after))).toEqual(new KeyLines().read(written(after)))
        expect(lines.read(written(after))).toMatchObject(after)
      }),
      { numRuns: runs(5_000) },
    )
  })

  test.each([
    ['a state of three fields', ',,1,'],
    ['uses that are no number', ',,one,,'],
    ['an instant that is no number', ',soon,1,,'],
  ])('%s is a fault, also of a key that is known', (_, state) => {
    const lines = new KeyLines()
    lines.read(line(hash, 1))
    const text = line(hash, 1).replace(',,1,,,', `${state},`)
    expect(() => lines.read(text)).toThrow(expect.objectContaining({ code: broken.code }))
  })

  test('no more than 10,000 are held', () => {
    const lines = new KeyLines()
    const nth = (n: number) => line(n.toString(16).padStart(64, '0'), 0)
    const first = lines.read(nth(0))
    for (let n = 1; n < 10_000; n += 1) lines.read(nth(n))
    expect(lines.read(nth(0))).toBe(first)
    lines.read(nth(10_000))
    expect(lines.read(nth(0))).not.toBe(first)
    expect(lines.read(nth(0))).toEqual(first)
  })

  const NO_LINE = 'a line of the server makes no sense'

  test.each([
    ['too few fields', line(hash, 1).replace('5,)', '5)'), NO_LINE],
    ['too many fields', line(hash, 1).replace('5,)', '5,,)'), NO_LINE],
    ['no hash', line('', 1), NO_LINE],
    ['no scopes', line(hash, 1).replace('{a}', ''), NO_LINE],
    ['neither', line('', 1).replace('{a}', ''), NO_LINE],
    ['one field', '(a)', NO_LINE],
    ['no line at all', '', broken.message],
    [
      'uses that are no number',
      line(hash, Number.NaN),
      'a stored row makes no sense: column "uses"',
    ],
  ])('%s is a fault', (_, text, message) => {
    const fault = { name: 'StorageError', code: 'broken_row', message }
    expect(() => new KeyLines().read(text)).toThrow(expect.objectContaining(fault))
  })
})
