import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BASE62, formatSecret, secretTest } from '../../../src/secret/format.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import { runs } from '../../support/runs.ts'

const environment = fc.constantFrom('live', 'test')
const brand = fc.stringMatching(/^[a-z][a-z0-9]{1,3}$/)
const random = fc.string({
  unit: fc.constantFrom(...BASE62),
  minLength: 40,
  maxLength: 40,
})
const secretOf = fc
  .tuple(brand, environment, random)
  .map(([word, env, digits]) => ({ word, secret: formatSecret(word, env, digits) }))

const isSecret = (word: string, text: string) => secretTest(word)(text)

describe('secrets', () => {
  test('whatever is formatted is recognised', () => {
    fc.assert(
      fc.property(secretOf, ({ word, secret }) => {
        expect(isSecret(word, secret)).toBe(true)
      }),
      { numRuns: runs(5_000) },
    )
  })

  test('every change of a single character is refused', () => {
    const strangers = [...BASE62, '_', '-', '.', ' ', '~', '\n', 'é', 'Ａ', '\u{1F511}'.charAt(0)]
    for (const env of ['live', 'test'] as const) {
      const secret = mintSecret('svc', env)
      for (let at = 0; at < secret.length; at += 1) {
        for (const stranger of strangers) {
          if (secret.charAt(at) === stranger) continue
          const changed = secret.slice(0, at) + stranger + secret.slice(at + 1)
          if (isSecret('svc', changed)) expect.fail(`accepted ${changed}`)
        }
      }
    }
  })

  test('a burst of changes within 32 bits, a cut and an addition are refused', () => {
    const digit = fc.constantFrom(...BASE62)
    const burst = fc.tuple(fc.nat(45), fc.tuple(digit, digit, digit))
    fc.assert(
      fc.property(secretOf, burst, ({ word, secret }, [at, letters]) => {
        const start = `${word}_live_`.length + Math.min(at, 37)
        const changed = secret.slice(0, start) + letters.join('') + secret.slice(start + 3)
        expect(isSecret(word, changed)).toBe(changed === secret)
        expect(isSecret(word, secret.slice(0, -1))).toBe(false)
        expect(isSecret(word, secret + letters[0])).toBe(false)
      }),
      { numRuns: runs(5_000) },
    )
  })

  test('what is not made by the format is not recognised', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 50, maxLength: 60, unit: 'binary' }), (text) => {
        expect(isSecret('svc', text)).toBe(false)
      }),
      { numRuns: runs(5_000) },
    )
  })
})
