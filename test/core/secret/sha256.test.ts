import { describe, expect, test, vi } from 'vitest'
import { sha256Hex as byNode } from '../../../src/secret/sha256-node.ts'
import { sha256Hex as portable } from '../../../src/secret/sha256-portable.ts'

/** NIST's examples for FIPS 180-4, and texts in UTF-8; half a character becomes U+FFFD. */
const VECTORS = [
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
  [
    'abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu',
    'cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1',
  ],
  ['a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
  ['مفتاح 漢 \u{1F511}', 'c3038489db2c3f3ea5dfa87b7429e9fd54b2ff0d890d480644b5bb2b9c24e781'],
  ['\uD800', '83d544ccc223c057d2bf80d3f2a32982c32c3c0db8e2674820da5064783fb097'],
] as const

describe.each(Object.entries({ byNode, portable }))('SHA-256, %s', (_, sha256Hex) => {
  test.each(VECTORS)('of %.20j', (text, digest) => {
    expect(sha256Hex(text)).toBe(digest)
  })
})

test('on a Node that is too old, the import says which one is needed', async () => {
  vi.doMock('node:crypto', () => ({ hash: undefined }))
  const file = '../../../src/secret/sha256-node.ts?on-node-18'
  await expect(import(file)).rejects.toThrow('miftah needs Node 20.19 or later.')
  vi.doUnmock('node:crypto')
})
