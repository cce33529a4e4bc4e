import { describe, expect, test } from 'vitest'
import { HashTable } from '../../../src/cache/hash-table.ts'

/** A hash whose search begins at a slot: with 1,024 slots, the last ten bits of its first word. */
const hashAt = (home: number, rest: number | string = 0) =>
  home.toString(16).padStart(8, '0') + String(rest).padStart(23, '0') + 'f'.repeat(33)

describe('a hash table', () => {
  test('tells hashes apart by each of their first 126 bits', () => {
    const table = new HashTable<string>()
    const hash = '0'.repeat(64)
    const others = Array.from({ length: 32 }, (_, at) =>
      [...(at < 31 ? '123456789abcdef' : '48c')].map(
        (digit) => `${hash.slice(0, at)}${digit}${hash.slice(at + 1)}`,
      ),
    ).flat()
    for (const other of others) table.set(other, other)
    expect(table.get(hash)).toBeUndefined()
    expect(others.map((other) => table.get(other))).toEqual(others)
  })

  test('grows: 10,000 values are found, and every other one after half of them are deleted', () => {
    const table = new HashTable<number>()
    const hashes = Array.from({ length: 10_000 }, (_, n) =>
      hashAt(Math.imul(n, 0x9e37_79b1) >>> 0, n),
    )
    for (const [n, hash] of hashes.entries()) table.set(hash, n)
    expect(table.size).toBe(10_000)
    for (let n = 0; n < 10_000; n += 2) table.delete(hashes[n] ?? '')
    expect(table.size).toBe(5_000)
    const expected = hashes.map((_, n) => (n % 2 === 0 ? undefined : n))
    expect(hashes.map((hash) => table.get(hash))).toEqual(expected)
  })

  test('replaces and deletes what it holds, and nothing else', () => {
    const table = new HashTable<number>()
    table.set(hashAt(1), 0)
    table.set(hashAt(1), 1)
    table.delete(hashAt(2))
    expect([table.get(hashAt(1)), table.size]).toEqual([1, 1])
    table.delete(hashAt(1))
    expect([table.get(hashAt(1)), table.size]).toEqual([undefined, 0])
  })

  test('forgets everything at once', () => {
    const table = new HashTable<number>()
    for (const home of [1, 2]) table.set(hashAt(home), home)
    table.clear()
    expect([table.get(hashAt(1)), table.get(hashAt(2)), table.size]).toEqual([
      ...[undefined, undefined, 0],
    ])
  })
})

describe('evict', () => {
  const [a, b, c] = [hashAt(10), hashAt(20), hashAt(30)] as const
  const keptOf = (table: HashTable<string>) =>
    [a, b, c].filter((hash) => table.get(hash) !== undefined)

  test('forgets nothing of an empty table', () => {
    const table = new HashTable<string>()
    table.evict()
    expect(table.size).toBe(0)
  })

  test('forgets the first value that was not used', () => {
    const table = new HashTable<string>()
    for (const hash of [a, b, c]) table.set(hash, hash)
    table.get(a)
    table.evict()
    expect(table.size).toBe(2)
    expect(keptOf(table)).toEqual([a, c])
  })

  test('goes on from there, and by every value once when all were used', () => {
    const table = new HashTable<string>()
    for (const hash of [a, b, c]) table.set(hash, hash)
    keptOf(table)
    // All three lose their mark, then the first of them goes.
    table.evict()
    table.evict()
    expect(keptOf(table)).toEqual([c])
  })

  test('keeps marks when the table grows and when values move', () => {
    const table = new HashTable<string>()
    const same = [0, 1, 2].map((rest) => hashAt(7, rest))
    for (const hash of same) table.set(hash, hash)
    table.get(same[2] ?? '')
    table.delete(same[0] ?? '')
    for (let n = 0; n < 2_000; n += 1) table.set(hashAt(1_000_000 + n, n), 'other')
    for (let n = 0; n < 2_000; n += 1) table.get(hashAt(1_000_000 + n, n))
    table.evict()
    expect(same.map((hash) => table.get(hash) !== undefined)).toEqual([false, false, true])
  })
})
