import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HashTable } from '../../../src/cache/hash-table.ts'

/** A hash whose search begins at a slot: with 1,024 slots, the last ten bits of its first word. */
const hashAt = (home: number, rest: number) =>
  home.toString(16).padStart(8, '0') + String(rest).padStart(23, '0') + 'f'.repeat(33)

type Step = readonly [does: 'set' | 'delete' | 'get', hash: string]

test('a hash table holds what a Map holds, also where searches meet and go around the end', () => {
  const hash = fc
    .tuple(fc.constantFrom(0, 1, 3, 1_021, 1_022, 1_023), fc.integer({ min: 0, max: 3 }))
    .map(([home, rest]) => hashAt(home, rest))
  const step = fc.tuple(fc.constantFrom('set', 'delete', 'get'), hash) as fc.Arbitrary<Step>
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => {
      const [table, map] = [new HashTable<number>(), new Map<string, number>()]
      for (const [at, [does, hash]] of steps.entries()) {
        if (does === 'set') table.set(hash, at)
        if (does === 'set') map.set(hash, at)
        if (does === 'delete') table.delete(hash)
        if (does === 'delete') map.delete(hash)
        expect(table.get(hash)).toBe(map.get(hash))
      }
      expect(table.size).toBe(map.size)
      for (const [hash, value] of map) expect(table.get(hash)).toBe(value)
    }),
  )
})
