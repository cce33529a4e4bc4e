import { DAY_MS, dayAt } from './periods.ts'

/** The calendar of a time zone. Dates are days since 1970-01-01. */
export class Zone {
  readonly #clock: Intl.DateTimeFormat

  /** Throws a `RangeError` for a name that the runtime does not know. */
  constructor(timeZone: string) {
    this.#clock = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  /** The date at an instant. */
  dateAt(atMs: number): number {
    return dayAt(this.#wallMs(atMs))
  }

  /**
   * When a date begins: at midnight, or later where the clock skips midnight; at the first midnight
   * where it comes twice. `null` for a date that the zone has skipped.
   */
  startOf(date: number): number | null {
    const midnightMs = date * DAY_MS
    // No offset reaches 24 hours, so a change of the clock at this midnight is between the two.
    const offsets = [midnightMs - DAY_MS, midnightMs + DAY_MS].map(
      (atMs) => this.#wallMs(atMs) - atMs,
    )
    const starts = offsets
      .map((offsetMs) => midnightMs - offsetMs)
      .filter((atMs) => this.dateAt(atMs) === date)
    return starts.length === 0 ? null : Math.min(...starts)
  }

  /** What the clocks on the wall show, as if it were UTC. */
  #wallMs(atMs: number): number {
    const numbers = this.#clock.formatToParts(atMs).map(({ type, value }) => [type, Number(value)])
    const { year, month, day, hour, minute, second }: Wall = Object.fromEntries(numbers)
    return Date.UTC(year, month - 1, day, hour, minute, second)
  }
}

/** What a clock shows. */
type Wall = Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>
