/** The entries of metadata that each of these has been mounted with, by their `ApiKeys`. */
const CLAIMS = new WeakMap<object, { introspectKeys: Set<unknown>; manageKeys: Set<unknown> }>()

/**
 * Remembers which entries users can write and which resource servers rely on. Throws a `TypeError` for one
 * that is both: a user would write what another service believes.
 */
export function claimMetadata(
  keys: object,
  names: { readonly introspectKeys?: unknown; readonly manageKeys?: unknown },
): void {
  const claims = CLAIMS.get(keys) ?? { introspectKeys: new Set(), manageKeys: new Set() }
  for (const caller of ['introspectKeys', 'manageKeys'] as const) {
    const list = names[caller] ?? []
    if (!Array.isArray(list) || list.some((name) => typeof name !== 'string')) {
      throw new TypeError(`${caller}: option "metadata" must be a list of names.`)
    }
    for (const name of list) claims[caller].add(name)
  }
  const both = [...claims.manageKeys].find((name) => claims.introspectKeys.has(name))
  if (both !== undefined) {
    throw new TypeError(
      `introspectKeys: users can write the metadata entry "${both}" through manageKeys.`,
    )
  }
  CLAIMS.set(keys, claims)
}
