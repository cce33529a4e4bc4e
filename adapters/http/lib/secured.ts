import type { HttpAnswer } from '../../../src/http/index.ts'

/** On every answer, good or bad (OWASP REST Security; Fetch Metadata). */
const SECURITY_HEADERS = Object.freeze({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
})

/** The answer for a client that must neither keep it nor take it for a page. */
export function secured(answer: HttpAnswer): HttpAnswer {
  return { ...answer, headers: { ...answer.headers, ...SECURITY_HEADERS } }
}
