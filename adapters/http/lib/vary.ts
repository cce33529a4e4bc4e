/** A header as Node and Fastify return it. */
type HeaderValue = number | string | readonly string[] | undefined

/** A `Vary` value that names some headers beside what it already lists (RFC 9110 §12.5.5). */
export function addToVary(vary: HeaderValue, headers: string): string {
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
