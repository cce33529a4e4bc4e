import { describe, expect, test } from 'vitest'
import { coreGzipBytes, installedDependencies, startWork } from '../support/package-budget.ts'

/**
 * Limits that today's package keeps, so that it only gets lighter: 16 kB is the aim.
 * docs/benchmarks.md tells how far it is and what the rest consists of.
 */
const MAX_GZIP_BYTES = 36_500
const MAX_IMPORT_PER_EMPTY_START = 1

// On the built package, which `npm test` makes first.
describe('what the core costs its host', () => {
  test('its size with all that it imports, minified and compressed', async () => {
    const bytes = await coreGzipBytes()
    expect(bytes).toBeGreaterThan(1_000)
    expect(bytes).toBeLessThanOrEqual(MAX_GZIP_BYTES)
  })

  test('two dependencies, which have none', () => {
    expect(installedDependencies()).toEqual(['@noble/hashes', 'nanoid'])
  })

  test('the work of importing it, beside that of starting an empty program', () => {
    // A busy machine slows both down, and never speeds one up: the best of several is what it takes.
    const starts = Array.from({ length: 5 }, startWork)
    const empty = Math.min(...starts.map((start) => start.empty))
    const core = Math.min(...starts.map((start) => start.withCore)) - empty
    expect(core / empty).toBeLessThanOrEqual(MAX_IMPORT_PER_EMPTY_START)
  })
})
