/** The middle of a sample and the half of it that lies around the middle. */
export interface Spread {
  readonly median: number
  readonly q1: number
  readonly q3: number
}

/** Quartiles by linear interpolation between the closest ranks. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  return { median: quantile(sorted, 0.5), q1: quantile(sorted, 0.25), q3: quantile(sorted, 0.75) }
}

/** What a share of a sorted sample is at most. */
export function quantile(sorted: readonly number[], share: number): number {
  const rank = (sorted.length - 1) * share
  const below = sorted[Math.floor(rank)] ?? Number.NaN
  const above = sorted[Math.ceil(rank)] ?? Number.NaN
  return below + (above - below) * (rank - Math.floor(rank))
}
