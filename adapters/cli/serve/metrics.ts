import type { ApiKeys } from '../../../src/index.ts'

type Series = ReadonlyMap<string, number | null>

/** Counters of this process, as text for Prometheus (exposition format 0.0.4). */
export class Metrics {
  readonly #counters = new Map<string, Map<string, number>>()

  /** Adds one to a counter. The labels are words of ours, so none needs an escape. */
  count(name: string, labels: Readonly<Record<string, string | number>>): void {
    const series = this.#counters.get(name) ?? new Map<string, number>()
    const pairs = Object.entries(labels).map(([label, word]) => `${label}="${word}"`)
    const written = `{${pairs.join()}}`
    this.#counters.set(name, series.set(written, (series.get(written) ?? 0) + 1))
  }

  /** What has been counted, and how the cache does now, named as `meterCache` names it. */
  text({ cache }: ReturnType<ApiKeys['stats']>): string {
    const counted = [...this.#counters].map(([name, series]) => metric(name, 'counter', series))
    if (cache === null) return counted.join('')
    const { hits, misses, evictions, hasLease, ...gauges } = cache
    const lookups = new Map([
      ['{miftah_cache_result="hit"}', hits],
      ['{miftah_cache_result="miss"}', misses],
    ])
    const now = Object.entries({ ...gauges, lease: Number(hasLease) })
    return [
      ...counted,
      metric('miftah_cache_lookups_total', 'counter', lookups),
      metric('miftah_cache_evictions_total', 'counter', new Map([['', evictions]])),
      ...now.map(([name, value]) =>
        metric(`miftah_cache_${name}`, 'gauge', new Map([['', value]])),
      ),
    ].join('')
  }
}

/** A value that is not known yet is left out. */
function metric(name: string, type: string, series: Series): string {
  const known = [...series].filter(([, value]) => value !== null)
  const lines = known.map(([labels, value]) => `${name}${labels} ${value}\n`)
  return `# TYPE ${name} ${type}\n${lines.join('')}`
}
