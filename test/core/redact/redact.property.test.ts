import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor, looksLikeSecret, secretPattern } from '../../../src/redact/index.ts'
import { BASE62, formatSecret, RANDOM_LENGTH } from '../../../src/secret/format.ts'
import { runs } from '../../support/runs.ts'

const brands = fc.stringMatching(/^[a-z][a-z0-9]{1,3}$/)
const environments = fc.constantFrom('live' as const, 'test' as const)

/** Each digit is equally likely, so that no surrounding has a piece of a secret. */
const digits = fc.noShrink(
  fc.noBias(
    fc.string({
      unit: fc.constantFrom(...BASE62),
      minLength: RANDOM_LENGTH,
      maxLength: RANDOM_LENGTH,
    }),
  ),
)

const secretsOf = (brand: string) =>
  fc.tuple(environments, digits).map((parts) => formatSecret(brand, ...parts))

const secrets = brands.chain((brand) => secretsOf(brand).map((secret) => ({ brand, secret })))

/** Two secrets of one brand. */
const pairs = brands.chain((brand) =>
  fc.record({ brand: fc.constant(brand), secret: secretsOf(brand), other: secretsOf(brand) }),
)

/** Anything at all, Arabic, and what is built to be mistaken for a secret's beginning. */
function surroundings(brand: string) {
  const nearly = fc
    .tuple(fc.constantFrom(`${brand}_`, `${brand}_live_`, `${brand}_test_`), fc.nat(60))
    .map(([start, length]) => start + BASE62.repeat(2).slice(0, length))
  return fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom('', '"', 'مفتاح', 'المفتاح:', '%22', '\\', '\r\n', '_', 'Bearer ', `${brand}_`),
    fc.string({ unit: fc.constantFrom(...BASE62, '_', '…'), maxLength: 60 }),
    nearly,
  )
}

/** Everything of a secret that its prefix does not show. */
const hidden = (secret: string) => secret.slice(12)

/** Every run of 8 characters of it. */
const pieces = (secret: string) =>
  Array.from({ length: hidden(secret).length - 7 }, (_, at) => hidden(secret).slice(at, at + 8))

describe('the redactor', () => {
  test('masks any secret in any surrounding, also one that looks like a secret', () => {
    const property = fc.property(
      secrets.chain(({ brand, secret }) =>
        fc.tuple(
          fc.constant({ brand, secret }),
          surroundings(brand),
          surroundings(brand),
          surroundings(brand),
        ),
      ),
      ([{ brand, secret }, before, between, after]) => {
        const redact = createRedactor(brand)
        const masked = redact(before + secret + between + secret + after)
        expect(pieces(secret).filter((piece) => masked.includes(piece))).toEqual([])
        expect(redact(masked)).toBe(masked)
      },
    )
    fc.assert(property, { numRuns: runs(1_000) })
  })

  test('leaves the prefix, and everything around that is no letter or digit of base62', () => {
    const around = fc.string({ unit: fc.constantFrom(...' "{}:,=&?%/\\\n_-.،ب…é'), maxLength: 40 })
    const property = fc.property(secrets, around, around, ({ brand, secret }, before, after) => {
      const masked = `${before}${secret.slice(0, 12)}…${after}`
      expect(createRedactor(brand)(before + secret + after)).toBe(masked)
    })
    fc.assert(property, { numRuns: runs(500) })
  })

  test('leaves what holds no secret as it is', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: fc.constantFrom(...'svc_livet0Aع'), maxLength: 200 }),
      fc.json({ maxDepth: 3 }),
    )
    const holds = /svc_(live|test)_[0-9A-Za-z]{22}/
    const property = fc.property(text, (plain) => {
      fc.pre(!holds.test(plain))
      expect(createRedactor()(plain)).toBe(plain)
    })
    fc.assert(property, { numRuns: runs(1_000) })
  })

  test('masks what was cut off as far as its rest could be guessed', () => {
    const property = fc.property(secrets, fc.nat(54), ({ brand, secret }, length) => {
      const cut = secret.slice(0, length)
      const random = length - `${brand}_live_`.length
      const expected = random > 21 ? `${secret.slice(0, 12)}…` : cut
      expect(createRedactor(brand)(cut)).toBe(expected)
    })
    fc.assert(property, { numRuns: runs(500) })
  })
})

test('the pattern finds every secret as it is, and looksLikeSecret knows it from noise', () => {
  const property = fc.property(pairs, ({ brand, secret, other }) => {
    expect(`مفتاح${secret}،${other}"`.match(secretPattern(brand))).toEqual([secret, other])
    expect(looksLikeSecret(secret, brand)).toBe(true)
    const swapped = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0')
    expect(swapped.match(secretPattern(brand))).toEqual([swapped])
    expect(looksLikeSecret(swapped, brand)).toBe(false)
  })
  fc.assert(property, { numRuns: runs(500) })
})
