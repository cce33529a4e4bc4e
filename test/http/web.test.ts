import { afterEach, expect, test, vi } from 'vitest'
import { toResponse } from '../../adapters/http/lib/web.ts'
import { guardAnswers } from '../../src/http/index.ts'

afterEach(() => vi.unstubAllGlobals())

test('a server may keep the headers it is given and add to them', () => {
  // @hono/node-server 1 puts a class like this in place of the platform's.
  class AddingResponse {
    readonly headers: Record<string, string>
    constructor(body: string, init: { headers: Record<string, string> }) {
      this.headers = init.headers
      this.headers['Content-Length'] = String(body.length)
    }
  }
  vi.stubGlobal('Response', AddingResponse)
  const { denial } = guardAnswers()
  const answer = denial({ ok: false, reason: 'missing' })
  expect(toResponse(answer, 'GET').headers).toHaveProperty('Content-Length')
  expect(answer.headers).not.toHaveProperty('Content-Length')
})
