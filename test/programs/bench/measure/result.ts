/** A table of a report, all of it text. */
export interface Table {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly note?: string
}

/** One promise about speed or size, and what was measured of it. */
export interface Target {
  readonly measure: string
  readonly target: string
  readonly figure: string
  readonly met: boolean
}

/** Bars of one chart; each group shares a label. */
export interface Chart {
  readonly file: string
  readonly title: string
  readonly unit: string
  readonly groups: readonly {
    readonly label: string
    readonly bars: readonly { readonly name: string; readonly value: number }[]
  }[]
}

/** What one section of the benchmark found. */
export interface SectionResult {
  readonly tables: readonly Table[]
  readonly targets: readonly Target[]
  readonly charts?: readonly Chart[]
}

/** What a section is given. */
export interface Bench {
  readonly short: boolean
  readonly log: (text: string) => void
}

/** A section measures one thing and answers what it found. */
export type Section = (bench: Bench) => Promise<SectionResult>

type Comparison = 'at most' | 'at least'

/** Compares a figure with its target. */
export function target(
  measure: string,
  comparison: Comparison,
  {
    limit,
    value,
    shown,
  }: { readonly limit: number; readonly value: number; readonly shown?: string },
): Target {
  const met = comparison === 'at most' ? value <= limit : value >= limit
  const sign = comparison === 'at most' ? '≤' : '≥'
  return { measure, target: `${sign} ${limit}`, figure: shown ?? value.toFixed(2), met }
}
