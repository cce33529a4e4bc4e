/** A header as Node and Fastify return it. */
type HeaderValue = number | string | readonly string[] | undefined

/** A `Vary` value that names `Authorization` beside what it already lists (RFC 9110 §12.5.5). */
export function withAuthorization(vary: HeaderValue): string {
  if (vary === undefined) return 'Authorization'
  const members = String(vary)
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '')
  const isListed = members.some((member) => /^(?:authorization|\*)$/i.test(member))
  return (isListed ? members : [...members, 'Authorization']).join(', ')
}
