import type { ApiKeys } from '../../../src/index.ts'

type Stats = ReturnType<ApiKeys['stats']>

/** Counters of this process, as text for Prometheus (exposition format 0.0.4). */
export class Metrics {
  readonly #counted: Record<string, number> = {}

  /** Adds one to a counter. The labels are words of ours, so none needs an escape. */
  count(name: string, labels: Readonly<Record<string, string | number>>): void {
    const pairs = Object.entries(labels).map(([label, word]) => `${label}="${word}"`)
    const series = `${name}{${pairs.join()}}`
    this.#counted[series] = (this.#counted[series] ?? 0) + 1
  }

  /** What has been counted, and how the cache does now. A value that is not known yet is left out. */
  text({ cache }: Stats): string {
    const all = Object.entries({ ...this.#counted, ...(cache && seriesOf(cache)) })
    let last = ''
    const lines = all.sort().map(([series, value]) => {
      const [name = ''] = series.split('{')
      const type = name.endsWith('_total') ? 'counter' : 'gauge'
      const heading = name === last ? '' : `# TYPE ${name} ${type}\n`
      last = name
      return value === null ? heading : `${heading}${series} ${value}\n`
    })
    return lines.join('')
  }
}

/** Named as `meterCache` names them. */
function seriesOf({ hits, misses, evictions, hasLease, ...gauges }: NonNullable<Stats['cache']>) {
  const now = Object.entries({ ...gauges, lease: Number(hasLease) })
  return {
    'miftah_cache_lookups_total{miftah_cache_result="hit"}': hits,
    'miftah_cache_lookups_total{miftah_cache_result="miss"}': misses,
    miftah_cache_evictions_total: evictions,
    ...Object.fromEntries(now.map(([name, value]) => [`miftah_cache_${name}`, value])),
  }
}
