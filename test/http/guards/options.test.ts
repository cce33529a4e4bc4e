import { describe, expect, test } from 'vitest'
import { requireKey as inExpress } from '../../../adapters/http/express.ts'
import { requireKey as inFastify } from '../../../adapters/http/fastify.ts'
import { requireKey as inFetch } from '../../../adapters/http/fetch.ts'
import { requireKey as inHono } from '../../../adapters/http/hono.ts'
import { requireKey as inNest } from '../../../adapters/http/nestjs.ts'
import { ApiKeyError, type DefaultScope } from '../../../src/index.ts'
import { testKeys } from '../../support/http/keys.ts'

const backend = testKeys()

describe.each([
  { name: 'express', requireKey: inExpress },
  { name: 'fastify', requireKey: inFastify as unknown as typeof inExpress },
  { name: 'fetch', requireKey: inFetch as unknown as typeof inExpress },
  { name: 'hono', requireKey: inHono as unknown as typeof inExpress },
  { name: 'nestjs', requireKey: inNest as unknown as typeof inExpress },
])('requireKey in $name, when it is mounted', ({ requireKey }) => {
  test('throws for a scope outside the catalogue', () => {
    for (const misspelt of ['contacts.reed', 'contacts', '', '__proto__']) {
      const scope = misspelt as DefaultScope
      const mount = () => requireKey(backend.keys, scope)
      expect(mount).toThrow(expect.objectContaining({ code: 'unknown_scope' }))
      expect(mount).toThrow(ApiKeyError)
    }
  })

  test('throws for a realm that would break out of its quotes', () => {
    for (const realm of ['', 'a"b', 'a\\b', 'a\r\nb', 'مفتاح']) {
      expect(() => requireKey(backend.keys, null, { realm })).toThrow(TypeError)
    }
  })
})
