const pattern = new RegExp(process.env['MIFTAH_HOSTS'] ?? '')

/** The hosts to try: all, or those with a name that matches MIFTAH_HOSTS, a regular expression. */
export function chosen<T extends { readonly name: string }>(hosts: readonly T[]): readonly T[] {
  return hosts.filter(({ name }) => pattern.test(name))
}
