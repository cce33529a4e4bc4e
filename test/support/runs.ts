/**
 * How often a property is tried: `usual` in every run of the tests, and MIFTAH_RUNS times as often
 * in a long one.
 */
export function runs(usual: number): number {
  return usual * Number(process.env['MIFTAH_RUNS'] ?? 1)
}

/** Whether this is a long run (`npm run test:long`), in which nothing is left out or cut short. */
export const isLong: boolean = process.env['MIFTAH_LONG'] !== undefined

/** Of cases that take the same path, all in a long run; otherwise the first, one between and the last. */
export function someOf<T>(cases: readonly T[]): readonly T[] {
  const kept = new Set([0, cases.length >> 1, cases.length - 1])
  return cases.filter((_, at) => isLong || kept.has(at))
}

/**
 * Of the storage contract, what depends on how a driver reads and writes values: all that a further
 * driver of a database is asked in a usual run.
 */
export function asked<T extends { readonly name: string }>(suite: readonly T[]): readonly T[] {
  if (isLong) return suite
  return suite.filter(({ name }) => /^(records|usage|history|events|relay|text): /.test(name))
}
