import { html, type TemplateResult } from 'lit'
import { drawable, isolate } from '../format/text.ts'
import { ar } from './ar.ts'
import { en } from './en.ts'
import type { MessageId, Messages, MessageValues, StringOverrides } from './messages.ts'

/** What is built in, by language; the file that loads later brings the rest. */
const builtIn: Readonly<Record<string, Partial<Messages>>> = { ar: { ...ar }, en: { ...en } }

/** Adds sentences to built-in languages. */
export function addMessages(more: Readonly<Record<string, Partial<Messages>>>): void {
  for (const [lang, messages] of Object.entries(more)) Object.assign(builtIn[lang] ?? {}, messages)
}

/** Values that are always Latin and run left to right. */
const leftToRight = new Set(['prefix', 'id', 'ref'])

/** A sentence to draw, piece by piece. */
export type Rich = readonly (string | TemplateResult)[]

/** Values for the places of a drawn sentence; a template stands as it is. */
export type RichValues = Readonly<Record<string, string | number | TemplateResult>>

/** Finds sentences of one language and puts values into them. */
export interface Translator {
  /** For attributes and live regions: values are wrapped in bidi isolates. */
  text(id: MessageId, values?: MessageValues): string
  /** For markup: values are wrapped in `<bdi>`. */
  rich(id: MessageId, values?: RichValues): Rich
}

/** What a translator needs to know. */
export interface TranslatorOptions {
  readonly lang: string
  readonly overrides: StringOverrides
  readonly formatNumber: (value: number) => string
}

/** A translator: overrides come first, then the built-in language, then English. */
export function createTranslator({ lang, overrides, formatNumber }: TranslatorOptions): Translator {
  const base = baseOf(lang)
  const given = [overrides[lang], overrides[base], builtIn[base], overrides['en'], builtIn['en']]
  const plural = new Intl.PluralRules(lang)
  const written = (value: string | number | undefined) =>
    typeof value === 'number' ? formatNumber(value) : drawable(String(value ?? ''))

  function pieces(id: MessageId, values: RichValues): readonly string[] {
    const message = given.map((source) => source?.[id]).find(Boolean) ?? ''
    if (typeof message === 'string') return message.split(/\{(\w+)\}/)
    return (message[plural.select(Number(values['n']))] ?? message.other).split(/\{(\w+)\}/)
  }

  return {
    text: (id, values = {}) =>
      pieces(id, values)
        .map((piece, at) =>
          at % 2 ? isolate(written(values[piece]), leftToRight.has(piece)) : piece,
        )
        .join(''),
    rich: (id, values = {}) =>
      pieces(id, values)
        .map((piece, at) => {
          if (at % 2 === 0) return piece
          const value = values[piece]
          return typeof value === 'object' ? value : bdi(written(value), leftToRight.has(piece))
        })
        .filter((piece) => piece !== ''),
  }
}

function bdi(value: string, ltr: boolean): TemplateResult {
  return ltr ? html`<bdi dir="ltr">${value}</bdi>` : html`<bdi>${value}</bdi>`
}

/** Whether there are texts in a language, of the tab or of the page. */
export function isTranslated(lang: string, overrides: StringOverrides): boolean {
  return [lang, baseOf(lang)].some((tag) => tag in builtIn || tag in overrides)
}

/** `ar-SA` → `ar`. */
export function baseOf(lang: string): string {
  return lang.toLowerCase().split('-')[0] ?? lang
}
