import { expect, test } from 'vitest'
import { KeyCache } from '../../../src/cache/key-cache.ts'

/** A hash that begins and ends so. */
const hashOf = (start: string, end = '') => start + end.padStart(64 - start.length, '0')

function remember(cache: KeyCache<string>, hash: string, value: string | null = hash): void {
  cache.end(cache.begin(hash), value)
}

test('a key is remembered after its lookup, and an unknown hash too', () => {
  const cache = new KeyCache<string>(10)
  expect(cache.get(hashOf('a'))).toBeUndefined()
  remember(cache, hashOf('a'), 'one')
  remember(cache, hashOf('b'), null)
  expect(cache.get(hashOf('a'))).toBe('one')
  expect(['a', 'b', 'c'].map((start) => cache.isUnknown(hashOf(start)))).toEqual([
    false,
    true,
    false,
  ])
  expect(cache.get(hashOf('b'))).toBeUndefined()
  expect(cache.size).toBe(1)
})

test('a later lookup replaces what was remembered', () => {
  const cache = new KeyCache<string>(10)
  remember(cache, hashOf('a'), null)
  remember(cache, hashOf('a'), 'one')
  remember(cache, hashOf('a'), 'two')
  expect(cache.get(hashOf('a'))).toBe('two')
  expect(cache.isUnknown(hashOf('a'))).toBe(false)
  expect(cache.size).toBe(1)
  remember(cache, hashOf('a'), null)
  expect(cache.isUnknown(hashOf('a'))).toBe(true)
  expect(cache.get(hashOf('a'))).toBeUndefined()
  expect(cache.size).toBe(0)
})

test('a full cache forgets the key that was not used for longest', () => {
  const cache = new KeyCache<string>(3)
  const all = ['a', 'b', 'c', 'd', 'e'].map((start) => hashOf(start))
  const [a = '', b = '', c = '', d = '', e = ''] = all
  for (const hash of [a, b, c]) remember(cache, hash)
  expect([cache.size, cache.evictions]).toEqual([3, 0])
  cache.get(a)
  remember(cache, d)
  expect([cache.size, cache.evictions]).toEqual([3, 1])
  const kept = () => all.filter((hash) => cache.get(hash) !== undefined)
  expect(kept()).toEqual([a, c, d])
  // Used again in this order, which `kept` has done: the first is the oldest.
  remember(cache, e)
  expect(kept()).toEqual([c, d, e])
  expect([cache.size, cache.evictions]).toEqual([3, 2])
})

test('clear forgets everything, also what is under way', () => {
  const cache = new KeyCache<string>(10)
  remember(cache, hashOf('a'))
  remember(cache, hashOf('b'), null)
  const fill = cache.begin(hashOf('c'))
  cache.clear()
  cache.end(fill, 'old')
  expect(['a', 'b', 'c'].map((start) => cache.get(hashOf(start)))).toEqual([
    ...[undefined, undefined, undefined],
  ])
  expect(cache.size).toBe(0)
})

test('a lookup that failed is marked no more', () => {
  const cache = new KeyCache<string>(10)
  const [failed, ended] = [cache.begin(hashOf('a')), cache.begin(hashOf('a'))]
  cache.abandon(failed)
  cache.end(ended, 'one')
  cache.drop(hashOf('a'))
  expect([failed.isDirty, ended.isDirty]).toEqual([false, false])
})

test('10,000 unknown hashes are remembered, keys beside them, until all unknown are forgotten', () => {
  const cache = new KeyCache<string>(2)
  for (let n = 0; n <= 10_000; n += 1) remember(cache, hashOf('a', String(n)), null)
  expect(cache.isUnknown(hashOf('a', '9999'))).toBe(true)
  expect(cache.isUnknown(hashOf('a', '10000'))).toBe(false)
  remember(cache, hashOf('b'))
  expect(cache.size).toBe(1)
  cache.forgetUnknown()
  expect(cache.isUnknown(hashOf('a', '1'))).toBe(false)
  expect(cache.get(hashOf('b'))).toBe(hashOf('b'))
})
