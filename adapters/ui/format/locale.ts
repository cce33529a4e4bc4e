import type { StringOverrides } from '../strings/messages.ts'
import { baseOf, createTranslator, isTranslated } from '../strings/translator.ts'
import { createDateWriter } from './dates.ts'

/** What a locale is made from; two equal settings make equal locales. */
interface LocaleSettings {
  readonly lang: string
  readonly dir: 'ltr' | 'rtl'
  readonly timeZone: string | undefined
  readonly strings: StringOverrides
}

/** Everything that differs between languages: sentences, numbers, dates, direction. */
export type Locale = ReturnType<typeof createLocale>

/**
 * Makes a locale. A malformed tag, and a language without texts, falls back to English rather than
 * throwing: texts, dates, language and direction together.
 */
export function createLocale(requested: LocaleSettings) {
  const lang = knownTag(requested.lang)
  const settings = isTranslated(lang, requested.strings)
    ? { ...requested, lang }
    : { ...requested, lang: 'en', dir: 'ltr' as const }
  const tag = tagOf(settings.lang)
  const { format: number } = new Intl.NumberFormat(tag)
  const base = baseOf(settings.lang)
  return {
    ...createTranslator({ lang: settings.lang, overrides: settings.strings, formatNumber: number }),
    settings,
    madeFrom: (other: LocaleSettings) =>
      Object.entries(other).every(([name, value]) => value === Reflect.get(requested, name)),
    dates: createDateWriter({ tag, timeZone: settings.timeZone }),
    number,
    /** A large number in short, as `12M`. */
    short: (value: number) => value.toLocaleString(tag, { notation: 'compact' }),
    /** The label in the drawn language, or else the English one, or else the first. */
    label: (labels: Readonly<Record<string, string>>) =>
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

const rightToLeft = new Set(['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])

/** The direction in which a language is written. */
export function directionOf(lang: string): 'ltr' | 'rtl' {
  return rightToLeft.has(baseOf(lang)) ? 'rtl' : 'ltr'
}

/** The language of an element: its own, the nearest around it, or English. */
export function languageOf(element: Element): string {
  return nearest(element, 'lang') || 'en'
}

/**
 * The direction of an element. A `dir` of its own wins, then the direction of its own language; one
 * that inherits its language inherits its direction too, and without any follows the language.
 */
export function directionFor(element: Element): 'ltr' | 'rtl' {
  const own = element.getAttribute('dir')
  const inherited = element.hasAttribute('lang') ? own : nearest(element, 'dir')
  return inherited === 'ltr' || inherited === 'rtl' ? inherited : directionOf(languageOf(element))
}

// closest() stops at the shadow root, languages do not.
function nearest(element: Element, attribute: 'lang' | 'dir'): string {
  const holder = element.closest(`[${attribute}]`)
  if (holder !== null) return holder.getAttribute(attribute) ?? ''
  const root = element.getRootNode()
  return root instanceof ShadowRoot ? nearest(root.host, attribute) : ''
}
