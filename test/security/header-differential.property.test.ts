import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseHeader } from '../../src/authenticate/credential.ts'
import { secretTest } from '../../src/secret/format.ts'
import { mintSecret } from '../../src/secret/mint.ts'
import { runs } from '../support/runs.ts'
import { headers } from './header/inputs.ts'
import { referenceAnswer } from './header/reference.ts'

/*
 * The header parser against a reference that shares no line with it. An input on which the two
 * differ is a bug in one of them. `MIFTAH_RUNS` does the same at length.
 */

const RUNS = runs(100_000)
const CLASSIFY = secretTest('svc')

/** Throws when the parser and the reference differ about a value. */
function compare(value: string | null): string {
  const parsed = parseHeader(value, CLASSIFY)
  const answer = parsed.secret ?? parsed.reason
  const reference = referenceAnswer(value)
  if (answer !== reference) throw new Error(`parser: ${answer}, reference: ${reference}`)
  return parsed.secret === null ? answer : 'secret'
}

test(`the parser and the reference agree on ${RUNS} headers`, { timeout: 600_000 + RUNS }, () => {
  const tally = new Map<string, number>()
  const property = fc.property(headers, (value) => {
    const kind = compare(value)
    tally.set(kind, (tally.get(kind) ?? 0) + 1)
  })
  fc.assert(property, { numRuns: RUNS })
  // A generator that only ever hits one answer proves nothing.
  for (const kind of ['missing', 'invalid_request', 'malformed', 'secret']) {
    expect(tally.get(kind) ?? 0, kind).toBeGreaterThan(RUNS / 50)
  }
})

test('they agree on any text at all', () => {
  fc.assert(
    fc.property(fc.option(fc.string({ unit: 'binary', maxLength: 600 })), (value) => {
      compare(value)
    }),
    { numRuns: runs(5_000) },
  )
})

test('they agree around the longest header', () => {
  const secret = mintSecret('svc', 'live')
  for (let length = 500; length <= 520; length += 1) {
    for (const start of [`Bearer ${secret}`, 'Basic ', 'Basic x, Bearer', 'Bearer']) {
      compare(start.padEnd(length))
      compare(start.padEnd(length, 'x'))
      compare(start.padStart(length))
    }
  }
})
