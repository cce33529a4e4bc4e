import { html, type TemplateResult } from 'lit'
import { drawable, isolate } from '../format/text.ts'
import { ar } from './ar.ts'
import { en } from './en.ts'
import type { MessageId, Messages, MessageValues, StringOverrides } from './messages.ts'

const builtIn: Readonly<Record<string, Messages>> = { ar, en }

/** Values that are always Latin and run left to right. */
const leftToRight = new Set(['prefix', 'id', 'ref'])

export type Rich = readonly (string | TemplateResult)[]

/** Values for the places of a drawn sentence; a template stands as it is. */
export type RichValues = Readonly<Record<string, string | number | TemplateResult>>

/** A translator: overrides come first, then the built-in language, then English. */
export function createTranslator({
  lang,
  overrides,
  formatNumber,
}: {
  readonly lang: string
  readonly overrides: StringOverrides
  readonly formatNumber: (value: number) => string
}) {
  const base = baseOf(lang)
  const given = [overrides[lang], overrides[base], builtIn[base], overrides['en'], builtIn['en']]
  const plural = new Intl.PluralRules(lang)
  const written = (value: string | number | undefined) =>
    typeof value === 'number' ? formatNumber(value) : drawable(String(value ?? ''))

  /** The pieces of a sentence, every second one a value made of its name. */
  function filled<T>(id: MessageId, values: RichValues, fill: (name: string) => T): (string | T)[] {
    const message = given.map((source) => source?.[id]).find(Boolean) ?? ''
    const one =
      typeof message === 'string'
        ? message
        : (message[plural.select(Number(values['n']))] ?? message.other)
    return one.split(/\{(\w+)\}/).map((piece, at) => (at % 2 ? fill(piece) : piece))
  }

  return {
    /** For attributes and live regions: values are wrapped in bidi isolates. */
    text: (id: MessageId, values: MessageValues = {}): string =>
      filled(id, values, (name) => isolate(written(values[name]), leftToRight.has(name))).join(''),
    /** For markup: values are wrapped in `<bdi>`. */
    rich: (id: MessageId, values: RichValues = {}): Rich =>
      filled(id, values, (name) => {
        const value = values[name]
        if (typeof value === 'object') return value
        const shown = written(value)
        return leftToRight.has(name)
          ? html`<bdi dir="ltr">${shown}</bdi>`
          : html`<bdi>${shown}</bdi>`
      }).filter((piece) => piece !== ''),
  }
}

/** Whether there are texts in a language, of the tab or of the page. */
export function isTranslated(lang: string, overrides: StringOverrides): boolean {
  return [lang, baseOf(lang)].some((tag) => tag in builtIn || tag in overrides)
}

/** `ar-SA` → `ar`. */
export function baseOf(lang: string): string {
  return lang.toLowerCase().split('-')[0] ?? lang
}
