import fc from 'fast-check'
import { formatSecret } from '../../../src/secret/format.ts'
import { fill, joinedValue, vectors } from '../vectors.ts'

/** Secrets that are the same in every run, so that a seed replays. */
const SECRETS = Array.from({ length: 64 }, (_, at) =>
  formatSecret('svc', at % 2 ? 'live' : 'test', at.toString(36).padStart(40, 'Zz09')),
)
const [KEY = '', OTHER = ''] = SECRETS

const KINDS = {
  key: KEY,
  other: OTHER,
  unknown: SECRETS[2] ?? '',
  revoked: SECRETS[3] ?? '',
  mistyped: `${KEY.slice(0, -1)}_`,
}

const spaces = fc.nat(10).map((count) => ' '.repeat(count))
const token = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...SECRETS) },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom(...SECRETS).map((text) => text.slice(0, -1)) },
  { weight: 1, arbitrary: fc.constantFrom(`${KEY}, Bearer ${OTHER}`, `${KEY},bearer`) },
)
const scheme = fc.oneof(
  { weight: 6, arbitrary: fc.mixedCase(fc.constant('bearer')) },
  { weight: 1, arbitrary: fc.constantFrom('Bear', 'Bearers', 'Basic', '', 'Bearer:', 'a, bearer') },
)
const nearly = fc.tuple(spaces, scheme, spaces, token, spaces).map((parts) => parts.join(''))
const known = fc.constantFrom(...vectors.map((vector) => joinedValue(fill(vector, KINDS)) ?? ''))

const stranger = fc.oneof(
  fc.constantFrom(' ', '\t', ',', '\0', '\x7f', '\x80', '\u00a0', '\u202e', 'ſ', '"', '=', '_'),
  fc.constantFrom(', bearer', 'Bearer ', ',\tBEARER '),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }),
)
type Edit = readonly ['insert' | 'delete' | 'replace', number, string]
const edit: fc.Arbitrary<Edit> = fc.tuple(
  fc.constantFrom('insert', 'delete', 'replace'),
  fc.nat(90),
  stranger,
)

/** Most inputs are one or two slips away from a good header: that is where parsers go wrong. */
const slipped = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: nearly }, known), fc.array(edit, { maxLength: 2 }))
  .map(([text, edits]) => edits.reduce(apply, text))

const byte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code))
const noise = fc.string({ unit: byte, maxLength: 520 })
const bearerNoise = fc.string({ unit: byte, maxLength: 60 }).map((text) => `Bearer ${text}`)

/** Headers near the border of what is good, and noise. */
export const headers: fc.Arbitrary<string> = fc.oneof(
  { weight: 30, arbitrary: slipped },
  { weight: 1, arbitrary: noise },
  { weight: 2, arbitrary: bearerNoise },
)

function apply(text: string, [kind, place, letters]: Edit): string {
  const at = place % (text.length + 1)
  if (kind === 'insert') return text.slice(0, at) + letters + text.slice(at)
  return text.slice(0, at) + (kind === 'replace' ? letters : '') + text.slice(at + 1)
}
