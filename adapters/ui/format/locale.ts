import type { StringOverrides } from '../strings/messages.ts'
import { baseOf, createTranslator, isTranslated, type Translator } from '../strings/translator.ts'
import { createDateWriter, type DateWriter } from './dates.ts'

/** What the locale is made from; two equal settings make equal locales. */
export interface LocaleSettings {
  readonly lang: string
  readonly dir: 'ltr' | 'rtl'
  readonly timeZone: string | undefined
  readonly strings: StringOverrides
}

/** Everything that differs between languages: sentences, numbers, dates, direction. */
export interface Locale extends Translator {
  readonly settings: LocaleSettings
  /** Whether these settings are the ones it was made from. */
  madeFrom(settings: LocaleSettings): boolean
  readonly dates: DateWriter
  number(value: number): string
  /** A large number in short, as `12M`. */
  short(value: number): string
  /** The label in the drawn language, or else the English one, or else the first. */
  label(labels: Readonly<Record<string, string>>): string
}

const rightToLeft = new Set(['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])

/** The direction in which a language is written. */
export function directionOf(lang: string): 'ltr' | 'rtl' {
  return rightToLeft.has(baseOf(lang)) ? 'rtl' : 'ltr'
}

const settingNames = ['lang', 'dir', 'timeZone', 'strings'] as const

/**
 * Makes a locale. A malformed tag, and a language without texts, falls back to English rather than
 * throwing: texts, dates, language and direction together.
 */
export function createLocale(requested: LocaleSettings): Locale {
  const lang = knownTag(requested.lang)
  const settings = isTranslated(lang, requested.strings)
    ? { ...requested, lang }
    : { ...requested, lang: 'en', dir: 'ltr' as const }
  const tag = tagOf(settings.lang)
  const format = new Intl.NumberFormat(tag)
  const formatNumber = (value: number) => format.format(value)
  const base = baseOf(settings.lang)
  return {
    ...createTranslator({ lang: settings.lang, overrides: settings.strings, formatNumber }),
    settings,
    madeFrom: (other) => settingNames.every((name) => other[name] === requested[name]),
    dates: createDateWriter({ tag, timeZone: settings.timeZone }),
    number: formatNumber,
    short: (value) => value.toLocaleString(tag, { notation: 'compact' }),
    label: (labels) =>
      labels[settings.lang] ?? labels[base] ?? labels['en'] ?? Object.values(labels)[0] ?? '',
  }
}

// Digits and calendar differ between Arabic regions and between browser versions, so both are named
// unless the tag names its own.
function tagOf(lang: string): string {
  const { calendar = 'gregory', numberingSystem = 'latn' } = new Intl.Locale(lang)
  return new Intl.Locale(lang, { calendar, numberingSystem }).toString()
}

function knownTag(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? 'en'
  } catch {
    return 'en'
  }
}
