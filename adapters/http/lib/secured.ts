import type { HttpAnswer } from '../../../src/http/index.ts'

/** On every answer, success or failure (OWASP REST Security; Fetch Metadata). */
const SECURITY_HEADERS = Object.freeze({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
})

/** The answer with headers that keep it out of caches and from being shown as a page. */
export function secured(answer: HttpAnswer): HttpAnswer {
  return { ...answer, headers: { ...answer.headers, ...SECURITY_HEADERS } }
}
