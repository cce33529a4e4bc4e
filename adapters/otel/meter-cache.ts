import type { Meter, ObservableResult } from '@opentelemetry/api'
import type { ApiKeys } from '../../src/index.ts'

/** One number of the cache, read when metrics are collected. */
interface Reading {
  readonly name: string
  readonly description: string
  readonly unit: string
  /** Whether it only ever grows. Default: it goes up and down. */
  readonly isTotal?: true
  readonly observe: (
    result: ObservableResult,
    stats: NonNullable<ReturnType<ApiKeys['stats']>['cache']>,
  ) => void
}

const READINGS: readonly Reading[] = [
  {
    name: 'miftah.cache.lookups',
    description: 'Authentications, by whether memory answered them.',
    unit: '{lookup}',
    isTotal: true,
    observe: (result, { hits, misses }) => {
      result.observe(hits, { 'miftah.cache.result': 'hit' })
      result.observe(misses, { 'miftah.cache.result': 'miss' })
    },
  },
  {
    name: 'miftah.cache.evictions',
    description: 'Keys that made room for others.',
    unit: '{key}',
    isTotal: true,
    observe: (result, { evictions }) => result.observe(evictions),
  },
  {
    name: 'miftah.cache.keys',
    description: 'Keys in memory.',
    unit: '{key}',
    observe: (result, { keys }) => result.observe(keys),
  },
  {
    name: 'miftah.cache.lease',
    description: 'Whether this process may answer from memory: 1 or 0.',
    unit: '1',
    observe: (result, { hasLease }) => result.observe(hasLease ? 1 : 0),
  },
  {
    name: 'miftah.cache.nodes',
    description: 'Processes that answer from memory.',
    unit: '{process}',
    observe: (result, { nodes }) => observeKnown(result, nodes),
  },
  {
    name: 'miftah.cache.lag',
    description: 'Changes that the slowest process has not acknowledged.',
    unit: '{change}',
    observe: (result, { lag }) => observeKnown(result, lag),
  },
]

function observeKnown(result: ObservableResult, value: number | null): void {
  if (value !== null) result.observe(value)
}

/**
 * Observes `stats().cache` whenever metrics are collected; nothing without the option `cache`. Returns a
 * function that stops observing. Call it after `keys.close()`.
 *
 * @example
 * ```ts
 * import { metrics } from '@opentelemetry/api'
 * import { createApiKeys, plans } from 'miftah'
 * import { memoryStorage } from 'miftah/memory'
 * import { meterCache } from 'miftah/otel'
 *
 * const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
 * const stop = meterCache(keys, metrics.getMeter('miftah'))
 * stop()
 * ```
 */
export function meterCache<S extends string>(keys: ApiKeys<S>, meter: Meter): () => void {
  const stops = READINGS.map(({ name, isTotal, observe, ...about }) => {
    const instrument = isTotal
      ? meter.createObservableCounter(name, about)
      : meter.createObservableGauge(name, about)
    const read = (result: ObservableResult) => {
      const { cache } = keys.stats()
      if (cache !== null) observe(result, cache)
    }
    instrument.addCallback(read)
    return () => instrument.removeCallback(read)
  })
  return () => {
    for (const stop of stops) stop()
  }
}
