import { crc32 as zlibCrc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { crc32, formatSecret, secretTest, toBase62 } from '../../../src/secret/format.ts'
import { mintId, mintSecret } from '../../../src/secret/mint.ts'

const isSecret = (text: string, brand = 'svc') => secretTest(brand)(text)

describe('the shape of a secret', () => {
  test.each(['live', 'test'] as const)(
    'svc, %s: 55 characters that one double click takes',
    (environment) => {
      const secret = mintSecret('svc', environment)
      expect(secret).toMatch(new RegExp(`^svc_${environment}_[0-9A-Za-z]{46}$`))
      expect(secret).toHaveLength(55)
      expect(isSecret(secret)).toBe(true)
    },
  )

  test.each(['ab', 'a1', 'abc', 'svc', 'abcd', 'z999'])('brand %s', (brand) => {
    const secret = mintSecret(brand, 'live')
    expect(secret).toHaveLength(52 + brand.length)
    expect(secret.startsWith(`${brand}_live_`)).toBe(true)
    expect(isSecret(secret, brand)).toBe(true)
    const randomInPrefix = 12 - `${brand}_live_`.length
    expect(randomInPrefix).toBeGreaterThanOrEqual(2)
  })

  test('a secret of one brand is nothing to another', () => {
    expect(isSecret(mintSecret('abc', 'live'))).toBe(false)
    expect(isSecret(mintSecret('svcx', 'live'))).toBe(false)
    expect(isSecret(mintSecret('svc', 'live'), 'svcx')).toBe(false)
  })
})

test('a character that is no digit is not a zero: all of them may be zeros', () => {
  const secret = formatSecret('svc', 'live', '0'.repeat(40))
  expect(isSecret(secret)).toBe(true)
  expect(isSecret(`${secret.slice(0, -6)}000000`)).toBe(false)
})

describe('the checksum', () => {
  test.each([
    ['', 0],
    ['123456789', 0xcbf43926],
    ['The quick brown fox jumps over the lazy dog', 0x414fa339],
  ])('CRC-32 of "%s"', (text, expected) => {
    expect(crc32(text)).toBe(expected)
  })

  test('it is the CRC-32 of everything before it, in base62', () => {
    for (let round = 0; round < 500; round += 1) {
      const secret = mintSecret('svc', round % 2 === 0 ? 'live' : 'test')
      const body = secret.slice(0, -6)
      expect(secret.slice(-6)).toBe(toBase62(zlibCrc32(body), 6))
    }
  })

  test('a fixed example, so that issued keys stay valid for ever', () => {
    const secret = formatSecret('svc', 'live', '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd')
    expect(secret).toBe('svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd1nH0qe')
  })
})

describe('base62', () => {
  test.each([
    [0, '000000'],
    [61, '00000z'],
    [62, '000010'],
    [2 ** 32 - 1, '4gfFC3'],
  ])('%i', (value, digits) => {
    expect(toBase62(value, 6)).toBe(digits)
  })
})

describe('minting', () => {
  test('every character is equally likely', () => {
    const counts = new Map<string, number>()
    const secrets = 10_000
    for (let round = 0; round < secrets; round += 1) {
      for (const digit of mintSecret('svc', 'live').slice(9, 49)) {
        counts.set(digit, (counts.get(digit) ?? 0) + 1)
      }
    }
    expect(counts.size).toBe(62)
    expect(chiSquare([...counts.values()])).toBeLessThan(BOUND)
  })

  test('no secret and no id comes twice', () => {
    const made = new Set<string>()
    for (let round = 0; round < 10_000; round += 1)
      made.add(mintSecret('svc', 'live')).add(mintId('key'))
    expect(made.size).toBe(20_000)
  })

  test('an id is its word and 21 characters', () => {
    expect(mintId('key')).toMatch(/^key_[A-Za-z0-9_-]{21}$/)
    expect(mintId('evt')).toMatch(/^evt_[A-Za-z0-9_-]{21}$/)
  })
})

/** At 61 degrees of freedom chance exceeds this less than once in a thousand million runs. */
const BOUND = 150

function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / 62
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}
