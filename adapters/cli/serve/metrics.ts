import type { ApiKeysStats } from '../../../src/index.ts'

/** What only ever grows, of the statistics of the cache. */
const TOTALS: ReadonlySet<string> = new Set(['hits', 'misses', 'evictions'])

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

  /** What has been counted, and how the cache does now. */
  text({ cache }: ApiKeysStats): string {
    const ofCache = Object.entries(cache ?? {}).map(([name, value]) => {
      if (value === null) return ''
      const series = new Map([['', Number(value)]])
      return TOTALS.has(name)
        ? metric(`miftah_cache_${name}_total`, 'counter', series)
        : metric(`miftah_cache_${name === 'hasLease' ? 'lease' : name}`, 'gauge', series)
    })
    const counted = [...this.#counters].map(([name, series]) => metric(name, 'counter', series))
    return [...counted, ...ofCache].join('')
  }
}

function metric(name: string, type: string, series: ReadonlyMap<string, number>): string {
  const lines = [...series].map(([labels, value]) => `${name}${labels} ${value}\n`)
  return `# TYPE ${name} ${type}\n${lines.join('')}`
}
