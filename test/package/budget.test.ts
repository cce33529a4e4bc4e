import { describe, expect, test } from 'vitest'
import { coreGzipBytes, installedDependencies } from '../support/package-budget.ts'

/**
 * What today's package keeps to, so that it only gets lighter: 16 kB is the aim. docs/benchmarks.md
 * tells how far it is, what the rest consists of, and how long an import takes.
 */
const MAX_GZIP_BYTES = 47_900

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
})
