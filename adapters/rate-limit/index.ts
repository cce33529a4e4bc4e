/**
 * Limiters for the option `limiter` of `createApiKeys`: one for a single process, and one that uses
 * the stores of rate-limiter-flexible.
 *
 * @module miftah/rate-limit
 */

export {
  type FlexibleLimiterOptions,
  type FlexibleResult,
  type FlexibleStore,
  flexibleLimiter,
} from './flexible-limiter.ts'
export { type MemoryLimiterOptions, memoryLimiter } from './memory-limiter.ts'
export type { Partition } from './partition.ts'
