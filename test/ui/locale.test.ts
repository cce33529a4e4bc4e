import { describe, expect, test } from 'vitest'
import { createDateWriter } from '../../adapters/ui/format/dates.ts'
import { createLocale, directionOf } from '../../adapters/ui/format/locale.ts'
import { drawable, isolate } from '../../adapters/ui/format/text.ts'
import { now } from '../support/settings-tab/keys.ts'

const settings = {
  lang: 'en',
  dir: 'ltr',
  timeZone: 'Asia/Riyadh',
  strings: {},
} as const

describe('a direction', () => {
  test.each(['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi', 'AR-EG'])(
    '%s runs from right to left',
    (lang) => expect(directionOf(lang)).toBe('rtl'),
  )

  test.each(['en', 'a', 'are', 'tr', ''])('%j runs from left to right', (lang) => {
    expect(directionOf(lang)).toBe('ltr')
  })

  test.each([
    ['de', 'ltr', ['en', 'ltr']],
    ['ur', 'rtl', ['en', 'ltr']],
    ['ps', 'rtl', ['ps', 'rtl']],
  ] as const)('%s falls back to English where there are no texts in it', (lang, dir, expected) => {
    const strings = { ps: { new: 'نوی' } }
    const { lang: of, dir: to } = createLocale({ ...settings, strings, lang, dir }).settings
    expect([of, to]).toEqual(expected)
  })
})

describe('a locale', () => {
  test.each([
    { lang: 'ar' },
    { dir: 'rtl' },
    { timeZone: 'UTC' },
    { strings: { en: {} } },
  ] as const)('is not the one of other settings: %j', (other) => {
    const locale = createLocale(settings)
    expect(locale.madeFrom({ ...settings })).toBe(true)
    expect(locale.madeFrom({ ...settings, ...other })).toBe(false)
  })

  test('finds a label: of the tag, of its language, in English, the first, or none', () => {
    const { label } = createLocale({ ...settings, lang: 'ar-EG' })
    expect(label({ en: 'E', ar: 'A', 'ar-EG': 'M' })).toBe('M')
    expect(label({ en: 'E', ar: 'A' })).toBe('A')
    expect(label({ fr: 'F', en: 'E' })).toBe('E')
    expect(label({ fr: 'F', de: 'D' })).toBe('F')
    expect(label({})).toBe('')
  })

  test('writes digits and calendar as the language asks, and the same in every region', () => {
    const strings = { fa: { new: 'کلید' } }
    const day = (lang: string) =>
      createLocale({ ...settings, strings, lang }).dates.day('2026-05-05T09:00:00Z')
    const twelve = (lang: string) => createLocale({ ...settings, lang }).number(12)
    expect(['ar', 'ar-EG', 'ar-SA', 'ar-u-nu-arab'].map(twelve)).toEqual(['12', '12', '12', '١٢'])
    expect(day('en-u-ca-islamic-umalqura')).toContain('1447')
    expect(day('fa')).toContain('2026')
    expect(day('fa-u-ca-persian-nu-arabext')).toContain('۱۴۰۵')
    expect(day('en')).toBe('May 5, 2026')
  })
})

describe('dates', () => {
  const dates = createDateWriter({ tag: 'en', timeZone: 'Asia/Riyadh' })
  const ago = (ms: number) => dates.recent(new Date(now - ms).toISOString(), now)
  const minute = 60_000
  const hour = 60 * minute
  const day = 24 * hour

  test.each([
    [-4 * minute, 'now'],
    [0, 'now'],
    [minute - 1, 'now'],
    [minute, '1 minute ago'],
    [hour - 1, '59 minutes ago'],
    [hour, '1 hour ago'],
    [day - 1, '23 hours ago'],
    [day, 'yesterday'],
    [2 * day, '2 days ago'],
    [30 * day - 1, '30 days ago'],
    [30 * day, 'Oct 22, 2026'],
  ])('%i ms ago: %s', (ms, text) => {
    expect(ago(ms)).toBe(text)
  })

  test('yesterday is a matter of the calendar of the account', () => {
    // 25 hours before 00:30 in Riyadh it was the day before yesterday there.
    const midnight = Date.parse('2026-11-20T21:30:00Z')
    const then = new Date(midnight - 25 * hour).toISOString()
    expect(dates.recent(then, midnight)).toBe('2 days ago')
    const utc = createDateWriter({ tag: 'en', timeZone: 'UTC' })
    expect(utc.recent(then, midnight)).toBe('yesterday')
  })

  test('in Arabic what is to come is after a time, not some time within it', () => {
    const { coming, within } = createDateWriter({ tag: 'ar-u-nu-latn', timeZone: 'UTC' })
    const comingIn = (ms: number) => coming(new Date(now + ms).toISOString(), now)
    expect([1, 24].map((hours) => within(hours, 'hour'))).toEqual(['بعد ساعة واحدة', 'بعد 24 ساعة'])
    expect([7, 30].map((days) => within(days, 'day'))).toEqual(['بعد 7 أيام', 'بعد 30 يومًا'])
    expect([2 * hour, day, 5 * day].map(comingIn)).toEqual(['بعد ساعتين', 'غدًا', 'بعد 5 أيام'])
    expect(dates.within(24, 'hour')).toBe('In 24 hours')
    const left = (ms: number) => dates.coming(new Date(now + ms).toISOString(), now)
    expect([1_000, hour].map(left)).toEqual(['in 1 minute', 'in 1 hour'])
  })

  test('what cannot be read is shown as it came, made safe', () => {
    for (const write of [dates.day, dates.full, (text: string) => dates.recent(text, now)]) {
      expect(write('so\u202Eon')).toBe('so\uFFFDon')
    }
  })

  test('a moment has its year where that is not the present one', () => {
    const writer = (tag: string) => createDateWriter({ tag, timeZone: 'Asia/Riyadh' })
    // In Riyadh the year is over three hours before it is in UTC.
    const instants = ['2026-12-31T20:00:00Z', '2026-12-31T22:00:00Z', 'soon']
    const moments = (tag: string) =>
      instants.map((instant) => writer(tag).moment(instant, now).replace('\u202F', ' '))
    expect(moments('en')).toEqual(['Dec 31, 11:00 PM', 'Jan 1, 2027, 1:00 AM', 'soon'])
    expect(moments('ar-u-nu-latn')).toEqual(['31 ديسمبر، 11:00 م', '1 يناير 2027، 1:00 ص', 'soon'])
    const full = writer('ar-u-nu-latn').full('2026-12-31T20:00:00Z')
    expect(full).toBe('31 ديسمبر 2026، 11:00 م')
    expect(writer('en').moment('2001-01-02T03:04:00Z')).toContain('2001')
  })

  test('without a time zone, or with an unknown one, it is that of the system', () => {
    const system = new Intl.DateTimeFormat('en', { timeStyle: 'short' }).format(now)
    for (const timeZone of [undefined, '', 'Mars/Olympus']) {
      expect(createDateWriter({ tag: 'en', timeZone }).time(now)).toBe(system)
    }
  })
})

describe('a day', () => {
  const inZone = (timeZone: string) => createDateWriter({ tag: 'en', timeZone })

  test('is that of the zone', () => {
    const at = Date.parse('2026-11-21T22:30:00Z')
    expect(inZone('UTC').dayIn(0, at)).toBe('2026-11-21')
    expect(inZone('Asia/Riyadh').dayIn(0, at)).toBe('2026-11-22')
    expect(inZone('America/New_York').dayIn(10, at)).toBe('2026-12-01')
  })

  test.each([
    ['2026-11-21', 'Asia/Riyadh', '2026-11-21T20:59:59.999Z'],
    // Days on which the clocks change, of 23 and of 25 hours.
    ['2026-03-29', 'Europe/Berlin', '2026-03-29T21:59:59.999Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-25T22:59:59.999Z'],
  ])('%s in %s ends at %s', (day, zone, end) => {
    expect(new Date(inZone(zone).endOf(day)).toISOString()).toBe(end)
  })

  test('has no end where it is none', () => {
    expect(inZone('UTC').endOf('tomorrow')).toBeNaN()
  })
})

describe('text', () => {
  test('what hides or reorders text is not drawn, and what Arabic needs is', () => {
    for (const bad of '\0\u0085\ud800\u2028\u2029\u202E\u2066\uFEFF') {
      expect(drawable(`a${bad}b${bad}`)).toBe('a\uFFFDb\uFFFD')
    }
    for (const good of ['', 'مفتاح', 'می\u200Cخواهم']) expect(drawable(good)).toBe(good)
    expect(drawable('\u200E\u200F\u061C')).toBe('')
  })

  test('a value is isolated by its own direction, or from left to right', () => {
    expect(isolate('x')).toBe('\u2068x\u2069')
    expect(isolate('x', true)).toBe('\u2066x\u2069')
  })

  test('prefixes, shortcuts and ids run from left to right in any sentence', () => {
    const strings = { en: { new: '{prefix} {id} {name} {none}' } }
    const { text } = createLocale({ ...settings, strings })
    const values = { prefix: 'p', id: 'i', name: 'n\u202E' }
    expect(text('new', values)).toBe('\u2066p\u2069 \u2066i\u2069 \u2068n\uFFFD\u2069 \u2068\u2069')
  })
})
