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

/** A `Vary` value, as Node and Fastify return it, that names more headers (RFC 9110 §12.5.5). */
export function addToVary(vary: number | string | readonly string[] | undefined, headers: string) {
  if (vary === undefined) return headers
  const listed = membersOf(String(vary))
  const names = new Set(listed.map((name) => name.toLowerCase()))
  if (names.has('*')) return listed.join(', ')
  const missing = membersOf(headers).filter((name) => !names.has(name.toLowerCase()))
  return [...listed, ...missing].join(', ')
}

function membersOf(list: string): string[] {
  return list
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '')
}
