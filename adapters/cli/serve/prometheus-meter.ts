import type { Attributes, Meter, ObservableCallback } from '@opentelemetry/api'

interface About {
  readonly description?: string
  readonly advice?: { readonly explicitBucketBoundaries?: readonly number[] }
}

/** The series of one metric, by their labels. */
interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly description: string
  readonly values: Map<string, number>
}

/** What of a meter `metered` and `meterCache` use, as text for Prometheus (exposition format 0.0.4). */
export class PrometheusMeter {
  readonly #metrics = new Map<string, Metric>()
  readonly #callbacks = new Set<() => void>()

  /** It as the meter that the metrics are written for. */
  asMeter(): Meter {
    return this as unknown as Meter
  }

  createCounter(name: string, about?: About) {
    const { values } = this.#metric(`${name}_total`, 'counter', about)
    return { add: (value: number, attributes?: Attributes) => addTo(values, attributes, value) }
  }

  createHistogram(name: string, about?: About) {
    const bounds = about?.advice?.explicitBucketBoundaries ?? []
    const { values } = this.#metric(name, 'histogram', about)
    const record = (value: number, attributes?: Attributes) => {
      for (const bound of [...bounds, Infinity].filter((most) => value <= most)) {
        const le = bound === Infinity ? '+Inf' : `${bound}`
        addTo(values, { ...attributes, le }, 1, '_bucket')
      }
      addTo(values, attributes, value, '_sum')
      addTo(values, attributes, 1, '_count')
    }
    return { record }
  }

  createObservableCounter(name: string, about?: About) {
    return this.#observable(this.#metric(`${name}_total`, 'counter', about))
  }

  createObservableGauge(name: string, about?: About) {
    return this.#observable(this.#metric(name, 'gauge', about))
  }

  /** What has been measured so far. */
  text(): string {
    for (const read of this.#callbacks) read()
    const parts = [...this.#metrics].map(([name, { type, description, values }]) => {
      const series = [...values].map(([labels, value]) => `${name}${labels} ${value}\n`)
      return `# HELP ${name} ${description}\n# TYPE ${name} ${type}\n${series.join('')}`
    })
    return parts.join('')
  }

  #metric(name: string, type: Metric['type'], about: About = {}): Metric {
    const metric = { type, description: about.description ?? '', values: new Map() }
    this.#metrics.set(name.replaceAll('.', '_'), metric)
    return metric
  }

  #observable({ values }: Metric) {
    const observe = (value: number, attributes?: Attributes) =>
      void values.set(labelsOf(attributes), value)
    const addCallback = (read: ObservableCallback) =>
      void this.#callbacks.add(() => void read({ observe }))
    return { addCallback }
  }
}

function addTo(
  values: Map<string, number>,
  attributes: Attributes | undefined,
  value: number,
  suffix = '',
): void {
  const series = suffix + labelsOf(attributes)
  values.set(series, (values.get(series) ?? 0) + value)
}

/** Every value is a word of ours, so none needs an escape. */
function labelsOf(attributes: Attributes = {}): string {
  const labels = Object.entries(attributes).map(
    ([name, value]) => `${name.replaceAll('.', '_')}="${value}"`,
  )
  return labels.length === 0 ? '' : `{${labels.join(',')}}`
}
