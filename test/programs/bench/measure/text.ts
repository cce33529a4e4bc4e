import type { Table } from './result.ts'
import type { Measurement } from './rounds.ts'
import type { Spread } from './stats.ts'

/** Three significant digits, thousands separated. */
export function figure(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString('en-US')
  return value.toPrecision(3)
}

/** A median with its quartiles. */
export function spreadText(spread: Spread, unit = 1): string {
  const [median, q1, q3] = [spread.median, spread.q1, spread.q3].map((value) =>
    figure(value / unit),
  )
  return `${median} (${q1}–${q3})`
}

/** Nanoseconds in the unit that reads best. */
export function timeText(spread: Spread): string {
  if (spread.median < 10_000) return `${spreadText(spread)} ns`
  return spread.median < 10_000_000
    ? `${spreadText(spread, 1e3)} µs`
    : `${spreadText(spread, 1e6)} ms`
}

/** A table of times per operation, each also as a multiple of the first name's. */
export function timeTable(
  title: string,
  measurement: Measurement,
  names: readonly string[],
  note?: string,
): Table {
  const [base = ''] = names
  return {
    title,
    head: ['', 'one operation', `times ${base}`],
    rows: names.map((name) => [
      name,
      timeText(measurement.time(name)),
      name === base ? '1' : spreadText(measurement.ratio(name, base)),
    ]),
    ...(note === undefined ? {} : { note }),
  }
}
