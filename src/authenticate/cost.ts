/** What a caller of `authenticate` knows about a request beside its header. */
export interface AuthenticateOptions {
  /** How many calls the request counts as for the limiter: 1 to 1,000,000. Default 1. */
  readonly cost?: number
}

const MAX_COST = 1_000_000

/** Throws a `TypeError` for a cost that is no whole number from 1 to 1,000,000. */
export function checkCost(cost: unknown = 1): number {
  if (Number.isSafeInteger(cost) && (cost as number) >= 1 && (cost as number) <= MAX_COST) {
    return cost as number
  }
  throw new TypeError('The cost of a request must be a whole number from 1 to 1,000,000.')
}
