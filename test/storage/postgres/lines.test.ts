import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashIn, KeyLines } from '../../../adapters/storage/lib/postgres/key-line.ts'
import { arrayIn, fieldsIn } from '../../../adapters/storage/lib/postgres/literals.ts'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleCreatedEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { runs } from '../../support/runs.ts'

const db = databaseForFile()

/** Texts of characters that a literal escapes, and of any others. */
const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom('"', '\\', ',', '(', ')', '{', '}', ' ', '\n', 'a', 'NULL', 'م', '😀'),
  }),
  fc.string({ unit: 'grapheme' }).filter((any) => !any.includes('\0')),
)

const broken = { code: 'broken_row', message: 'the answer of the server is invalid' }

describe('what the server writes', () => {
  test('rows of any texts are read as they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text), { minLength: 2, maxLength: 6 }), async (row) => {
        const columns = row.map((_, at) => `$${at + 1}::text`).join(', ')
        const { rows } = await db.pool.query(`SELECT ROW(${columns})::text AS line`, row)
        expect(fieldsIn(rows[0].line)).toEqual(row)
      }),
      { numRuns: runs(300) },
    )
  })

  test('arrays of any texts are read as they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text), async (texts) => {
        const { rows } = await db.pool.query('SELECT $1::text[]::text AS line', [texts])
        expect(arrayIn(rows[0].line)).toEqual(texts)
      }),
      { numRuns: runs(300) },
    )
  })

  test('a key of such texts comes out of a lookup as it went in', async () => {
    const storage = postgresStorage(db.pool)
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

test('a field of nothing but doubled characters', () => {
  expect(fieldsIn('("""","\\\\","",a)')).toEqual(['"', '\\', '', 'a'])
})

test.each(['', '(', 'a', '(a', 'a)', '("a)', '("a"b)', '(a,"b)'])('not a row: %j', (line) => {
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
])('not an array of texts: %j', (line) => {
  expect(() => arrayIn(line)).toThrow(expect.objectContaining(broken))
})

test('a backslash escapes any character', () => {
  expect(arrayIn('{}')).toEqual([])
  expect(arrayIn('{"",a}')).toEqual(['', 'a'])
  expect(arrayIn('{"a\\\nb\\\\c\\"","d\n"}')).toEqual(['a\nb\\c"', 'd\n'])
})

describe('lines that are read again', () => {
  const hash = 'a'.repeat(64)
  const REST = '1,5,,,,,,{},'
  const line = (name: string, of = hash) =>
    `(${of},key_1,ws,${name},live,{a},svc_live_abc,u,N,5,,,,${REST})`
  const readLine = (lines: KeyLines, text: string) => lines.read(hashIn(text), text)

  test('the same line gives the same record, which nobody can change', () => {
    const lines = new KeyLines()
    const record = readLine(lines, line('n'))
    expect(record).toEqual({
      ...{ hash, id: 'key_1', workspaceId: 'ws', name: 'n', environment: 'live', scopes: ['a'] },
      ...{ prefix: 'svc_live_abc', creator: { id: 'u', name: 'N' }, createdAtMs: 5 },
      ...{
        revokedAtMs: null,
        replaces: null,
        replacedBy: null,
        format: null,
        version: 1,
        updatedAtMs: 5,
      },
      ...{ expiresAtMs: null, pausedAtMs: null, pausedBy: null, retiresAtMs: null, metadata: {} },
    })
    expect(readLine(lines, line('n'))).toBe(record)
    const parts = [record, record.scopes, record.creator, record.metadata]
    expect(parts.every(Object.isFrozen)).toBe(true)
  })

  test('a line that differs in anything is read anew', () => {
    const lines = new KeyLines()
    const active = readLine(lines, line('n'))
    expect(active.revokedAtMs).toBeNull()
    const revoked = line('n').replace(',5,,,,', ',5,7,,key_2,')
    expect(readLine(lines, revoked)).toEqual({ ...active, revokedAtMs: 7, replacedBy: 'key_2' })
    expect(readLine(lines, line('m')).name).toBe('m')
    expect(readLine(lines, line('n'))).toEqual(active)
  })

  test('no more than 100,000 are kept', () => {
    const lines = new KeyLines()
    const nth = (n: number) => line('n', n.toString(16).padStart(64, '0'))
    const first = readLine(lines, nth(0))
    for (let n = 1; n < 100_000; n += 1) readLine(lines, nth(n))
    expect(readLine(lines, nth(0))).toBe(first)
    readLine(lines, nth(100_000))
    expect(readLine(lines, nth(0))).not.toBe(first)
    expect(readLine(lines, nth(0))).toEqual(first)
  })

  test.each([
    ['too few fields', line('n').replace('5,,,,', '5,,,'), broken.message],
    ['too many fields', line('n').replace('5,,,,', '5,,,,,'), broken.message],
    ['no hash', line('n', ''), broken.message],
    ['no scopes', line('n').replace('{a}', ''), broken.message],
    ['one field', '(a)', broken.message],
    ['no line at all', '', broken.message],
    ['an instant that is not a number', line('n').replace(',5,', ',soon,'), /created_at_ms/],
    ['no name', line(''), /name/],
  ])('%s is an error, and nothing is kept of it', (_, text, message) => {
    const lines = new KeyLines()
    for (let time = 0; time < 2; time += 1) {
      const read = () => readLine(lines, text)
      expect(read).toThrow(message)
      expect(read).toThrow(expect.objectContaining({ name: 'StorageError', code: 'broken_row' }))
    }
  })
})
