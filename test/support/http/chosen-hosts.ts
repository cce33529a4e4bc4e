const pattern = new RegExp(process.env['MIFTAH_HOSTS'] ?? '')

/** The hosts to try: all, or those whose name MIFTAH_HOSTS, a regular expression, fits. */
export function chosen<T extends { readonly name: string }>(hosts: readonly T[]): readonly T[] {
  return hosts.filter(({ name }) => pattern.test(name))
}
