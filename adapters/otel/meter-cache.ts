import type { Meter, ObservableResult } from '@opentelemetry/api'
import type { ApiKeys } from '../../src/index.ts'

type CacheStats = NonNullable<ReturnType<ApiKeys['stats']>['cache']>

const METRICS = {
  lookups: ['Counter', '{lookup}', 'Authentications, by whether memory answered them.'],
  evictions: ['Counter', '{key}', 'Keys that made room for others.'],
  keys: ['Gauge', '{key}', 'Keys in memory.'],
  lease: ['Gauge', '1', 'Whether this process may answer from memory: 1 or 0.'],
  nodes: ['Gauge', '{process}', 'Processes that answer from memory.'],
  lag: ['Gauge', '{change}', 'Changes that the slowest process has not acknowledged.'],
} as const

type Metric = keyof typeof METRICS

function observe(result: ObservableResult, metric: Metric, stats: CacheStats): void {
  const { hits, misses, hasLease, ...numbers } = stats
  if (metric === 'lookups') {
    result.observe(hits, { 'miftah.cache.result': 'hit' })
    result.observe(misses, { 'miftah.cache.result': 'miss' })
    return
  }
  const value = { ...numbers, lease: Number(hasLease) }[metric]
  // Unknown values are left out.
  if (value !== null) result.observe(value)
}

/**
 * Observes `stats().cache` whenever metrics are collected; nothing without the option `cache`. Returns a
 * function that stops observing. Call it after `keys.close()`.
 */
export function meterCache<S extends string>(keys: ApiKeys<S>, meter: Meter): () => void {
  const stops = Object.entries(METRICS).map(([metric, [kind, unit, description]]) => {
    const about = { description, unit }
    const instrument = meter[`createObservable${kind}`](`miftah.cache.${metric}`, about)
    const read = (result: ObservableResult) => {
      const { cache } = keys.stats()
      if (cache !== null) observe(result, metric as Metric, cache)
    }
    instrument.addCallback(read)
    return () => instrument.removeCallback(read)
  })
  return () => {
    for (const stop of stops) stop()
  }
}
