import fc from 'fast-check'
import { parseHeader } from '../../../src/authenticate/credential.ts'
import { secretTest } from '../../../src/secret/format.ts'
import { headers } from './inputs.ts'
import { referenceAnswer } from './reference.ts'

const CLASSIFY = secretTest('svc')

/** How many inputs had which answer. */
export type Tally = Map<string, number>

/** Throws when the parser and the reference differ about a value. */
export function compare(value: string | null | undefined): string {
  const parsed = parseHeader(value, CLASSIFY)
  const answer = parsed.secret ?? parsed.reason
  const reference = referenceAnswer(value)
  if (answer !== reference) throw new Error(`parser: ${answer}, reference: ${reference}`)
  return parsed.secret === null ? answer : 'secret'
}

/** Compares on generated headers. A failure is shrunk, and its message has the seed and the path. */
export function compareMany(numRuns: number): Tally {
  const tally: Tally = new Map()
  fc.assert(
    fc.property(headers, (value) => {
      const kind = compare(value)
      tally.set(kind, (tally.get(kind) ?? 0) + 1)
    }),
    { numRuns },
  )
  return tally
}
