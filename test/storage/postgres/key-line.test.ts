import { describe, expect, test } from 'vitest'
import { hashIn, KeyLines } from '../../../adapters/storage/lib/postgres/key-line.ts'

const broken = { code: 'broken_row', message: 'the answer of the server is invalid' }

describe('lines that are read again', () => {
  const hash = 'a'.repeat(64)
  const fields = (name: string, of = hash): readonly unknown[] => [
    ...[of, 'key_1', 'ws', name, null, 'live', ['a'], {}, 'any', 'svc_live_abc', 'u', 'N', 5],
    ...[null, null, null],
    ...[1, 5, null, null, null, null, null, {}, null],
  ]
  const line = (name: string, of = hash) => JSON.stringify(fields(name, of))
  const lineWith = (at: number, value: unknown) => JSON.stringify(fields('n').with(at, value))
  const readLine = (lines: KeyLines, text: string) => lines.read(hashIn(text), text)

  test('the same line gives the same record, which nobody can change', () => {
    const lines = new KeyLines()
    const record = readLine(lines, line('n'))
    expect(record).toEqual({
      ...{ hash, id: 'key_1', workspaceId: 'ws', name: 'n', environment: 'live', scopes: ['a'] },
      ...{ note: null, resources: {}, networks: 'any' },
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
    const parts = [record, record.scopes, record.creator, record.metadata, record.resources]
    expect(parts.every(Object.isFrozen)).toBe(true)
  })

  test('a line that differs in anything is read anew', () => {
    const lines = new KeyLines()
    const active = readLine(lines, line('n'))
    expect(active.revokedAtMs).toBeNull()
    const revoked = JSON.stringify(fields('n').with(13, 7).with(15, 'key_2'))
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

  test('behind a cache none is kept', () => {
    const lines = new KeyLines()
    const first = readLine(lines, line('n'))
    lines.stop()
    const second = readLine(lines, line('n'))
    expect(second).not.toBe(first)
    expect(readLine(lines, line('n'))).not.toBe(second)
    expect(second).toEqual(first)
  })

  test.each([
    ['too few fields', JSON.stringify(fields('n').slice(0, -1)), broken.message],
    ['too many fields', JSON.stringify([...fields('n'), null]), broken.message],
    ['no hash', lineWith(0, null), broken.message],
    ['no scopes', lineWith(6, null), /scopes/],
    ['scopes that are no texts', lineWith(6, [1]), /scopes/],
    ['no resources', lineWith(7, null), /resources/],
    ['resources that are no lists of texts', lineWith(7, { project: ['p_1', 1] }), /resources/],
    ['no networks', lineWith(8, null), /networks/],
    ['another word for networks', lineWith(8, 'all'), /networks/],
    ['a note that is no text', lineWith(4, 7), /note/],
    ['one field', '["a"]', broken.message],
    ['no list', '{}', broken.message],
    ['half a line', line('n').slice(0, -1), broken.message],
    ['no line at all', '', broken.message],
    ['an instant that is not a number', lineWith(12, 'soon'), /created_at_ms/],
    ['no name', lineWith(3, null), /name/],
  ])('%s is an error, and nothing is kept of it', (_, text, message) => {
    const lines = new KeyLines()
    for (let time = 0; time < 2; time += 1) {
      const read = () => readLine(lines, text)
      expect(read).toThrow(message)
      expect(read).toThrow(expect.objectContaining({ name: 'StorageError', code: 'broken_row' }))
    }
  })
})
