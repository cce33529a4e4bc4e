import { drawable } from './text.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How instants are written: language with its extensions, and a time zone. */
interface DateStyle {
  readonly tag: string
  readonly timeZone: string | undefined
}

/** Writes the instants of the wire for people. */
export type DateWriter = ReturnType<typeof createDateWriter>

/** A writer for one style. The formatters are made once: each costs more than a table row. */
export function createDateWriter({ tag, timeZone }: DateStyle) {
  const zone = knownZone(timeZone)
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(tag, { ...options, timeZone: zone })
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
  const date = { day: 'numeric', month: 'short', year: 'numeric' } as const
  const short = format(date)
  const full = format({ dateStyle: 'long', timeStyle: 'short' })
  const long = format({ dateStyle: 'long' })
  const time = format({ timeStyle: 'short' })
  const clock = { ...date, hour: 'numeric', minute: '2-digit' } as const
  const ofAnyYear = format(clock)
  const ofYear = format({ ...clock, year: undefined })
  // Sweden writes a day as a date field does.
  const clocks = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    timeZone: zone,
  })
  /** What the clocks of the zone show, as if they showed UTC. */
  const shown = (at: number) => Date.parse(`${clocks.format(at).replace(' ', 'T')}Z`) + (at % 1_000)
  /** The day after so many days from then, as a date field writes it. */
  const dayIn = (days: number, at: number) =>
    new Date(shown(at) + days * day).toISOString().slice(0, 10)
  // "Yesterday" is a matter of the calendar of the account, not of 24 hours.
  const daysApart = (from: number, to: number) =>
    Math.round((Date.parse(dayIn(0, to)) - Date.parse(dayIn(0, from))) / day)
  // Arabic says "some time within an hour" by default, where the hour is over before anything happens.
  const ahead = (count: number, unit: 'second' | 'minute' | 'hour' | 'day') =>
    relative.format(count, unit).replace(/^خلال /, 'بعد ')
  return {
    ahead,
    dayIn,
    /** Relative up to 30 days, the day after that. */
    recent(instant: string, now: number): string {
      const at = Math.min(Date.parse(instant), now)
      const age = now - at
      if (!(age < 30 * day)) return written(short, instant)
      if (age < minute) return relative.format(0, 'second')
      if (age < hour) return relative.format(-Math.floor(age / minute), 'minute')
      if (age < day) return relative.format(-Math.floor(age / hour), 'hour')
      return relative.format(-daysApart(at, now), 'day')
    },
    /** Which day it was, relative to today. */
    dayAgo: (instant: string, now: number) =>
      relative.format(-daysApart(Date.parse(instant), now), 'day'),
    /** Relative within the next 30 days, the day after that. */
    coming(instant: string, now: number): string {
      const at = Date.parse(instant)
      const left = at - now
      if (!(left >= 0 && left < 30 * day)) return written(short, instant)
      if (left < hour) return ahead(Math.max(1, Math.floor(left / minute)), 'minute')
      if (left < day) return ahead(Math.floor(left / hour), 'hour')
      return ahead(daysApart(now, at), 'day')
    },
    /** A time span from now, in words. */
    within: (count: number, unit: 'hour' | 'day') => capital(ahead(count, unit)),
    days: (count: number) =>
      count.toLocaleString(tag, { style: 'unit', unit: 'day', unitDisplay: 'long' }),
    day: (instant: string) => written(short, instant),
    dayInFull: (at: number) => long.format(at),
    /** Day, month and time, with the year where it is not the present one. */
    moment(instant: string, now = Date.now()): string {
      const at = Date.parse(instant)
      const near = Number.isNaN(at) || dayIn(0, at).slice(0, 4) === dayIn(0, now).slice(0, 4)
      return atTheHour(written(near ? ofYear : ofAnyYear, instant))
    },
    full: (instant: string) => atTheHour(written(full, instant)),
    time: (at: number) => time.format(at),
    /** The last millisecond of the day in a date field; NaN if it is not a day. */
    endOf(wanted: string): number {
      const midnight = Date.parse(`${wanted}T00:00:00Z`) + day
      if (Number.isNaN(midnight)) return midnight
      const offset = (at: number) => shown(at) - at
      // The first offset may be that of the other side of a change of the clocks.
      return midnight - offset(midnight - offset(midnight)) - 1
    },
  }
}

// An instant that cannot be read is shown as it came rather than breaking the whole table.
function written(format: Intl.DateTimeFormat, instant: string): string {
  const at = Date.parse(instant)
  return Number.isNaN(at) ? drawable(instant) : format.format(at)
}

// What Arabic has between a day and a time of day by default cannot follow another preposition.
function atTheHour(text: string): string {
  return text.replace(' في ', '، ')
}

/** With a capital where the script has them: for words that stand alone. */
export function capital(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1)
}

function knownZone(timeZone: string | undefined): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
