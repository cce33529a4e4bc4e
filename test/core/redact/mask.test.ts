import { expect, test } from 'vitest'
import { createRedactor } from '../../../src/redact/index.ts'
import { maskAfter } from '../../../src/redact/mask.ts'
import { mintSecret } from '../../../src/secret/mint.ts'

const redact = createRedactor()

test('a place within what is replaced already is passed over', () => {
  const masked = maskAfter('aaaa', /a/g, (_, start) => ({ start, end: start + 2, by: 'x' }))
  expect(masked).toBe('xx')
})

test('a secret broken over lines with a wrong checksum stays', () => {
  const secret = mintSecret('svc', 'live')
  const wrong = secret.slice(0, -1) + (secret.endsWith('7') ? '3' : '7')
  const broken = `${wrong.slice(0, 5)}\n${wrong.slice(5)}`
  expect(redact(broken)).toBe(broken)
})

test('base64 is masked wherever it is cut off, once the hidden part is long enough', () => {
  for (const before of ['', 'a', 'ab']) {
    const encoded = btoa(before + mintSecret('svc', 'live'))
    for (let length = 60; length <= encoded.length; length += 1) {
      expect(redact(encoded.slice(0, length))).toContain('…')
    }
    expect(redact(encoded.slice(0, 24))).toBe(encoded.slice(0, 24))
  }
})
