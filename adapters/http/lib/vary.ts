/** A header as Node, Fastify and `Headers` each hand it out. */
export type HeaderValue = string | number | readonly string[] | null | undefined

/**
 * A `Vary` value with one more member (RFC 9110 §12.5.5). What is there stays; `*` and a member that
 * is there already are left as they are.
 */
export function addVary(existing: HeaderValue, member: string): string {
  if (existing == null) return member
  const members = String(existing)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const known = members.some((name) => name === '*' || name.toLowerCase() === member.toLowerCase())
  return (known ? members : [...members, member]).join(', ')
}
