import type { TemplateResult } from 'lit'
import { expect, test } from 'vitest'
import { createLocale } from '../../adapters/ui/format/locale.ts'
import { isolate } from '../../adapters/ui/format/text.ts'
import type { Message, MessageId, Messages } from '../../adapters/ui/strings/messages.ts'
import { ar, en } from '../support/settings-tab/strings.ts'

const ids = Object.keys(en) as MessageId[]
const languages: Readonly<Record<string, Messages>> = { ar, en }
const plurals = ids.filter((id) => typeof ar[id] !== 'string')
const counts = [0, 1, 2, 3, 10, 11, 24, 99, 100, 102, 103]
const arabicForms = [
  'zero',
  'one',
  'two',
  'few',
  'few',
  'many',
  'many',
  'many',
  'other',
  'other',
  'few',
]

const formsOf = (message: Message) =>
  typeof message === 'string' ? [message] : Object.values(message)
const placesOf = (message: Message) =>
  [...new Set(formsOf(message).flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort()

function localeOf(lang: string) {
  const timeZone = 'Asia/Riyadh'
  return createLocale({ lang, dir: 'rtl', timeZone, strings: {} })
}

test('both languages have the same sentences with the same places', () => {
  expect(Object.keys(ar)).toEqual(ids)
  for (const id of ids) expect([id, placesOf(ar[id])]).toEqual([id, placesOf(en[id])])
})

test('each plural set has every form that its language needs', () => {
  expect(plurals).toHaveLength(9)
  for (const [lang, messages] of Object.entries(languages)) {
    const needed = new Intl.PluralRules(lang).resolvedOptions().pluralCategories
    for (const id of plurals) {
      // A summary of no problems is never shown.
      const expected = needed.filter((form) => form !== 'zero' || id !== 'v.summary')
      expect([id, Object.keys(messages[id]).sort()]).toEqual([id, [...expected].sort()])
    }
  }
})

test('no sentence about revoking can be read as cancelling', () => {
  for (const id of ids.filter((one) => one !== 'cancel')) {
    for (const form of formsOf(ar[id])) expect(form).not.toContain('إلغاء')
  }
})

test('the question before revoking forbids nothing that one of its buttons says', () => {
  expect(ar['revoke.body']).toContain('هذا الإجراء نهائي.')
  expect(ar['revoke.body']).not.toContain('تراجع')
  expect([ar['revoke.keep'], ar.revoke]).toEqual(['الاحتفاظ بالمفتاح', 'إبطال'])
  expect(en['revoke.body']).toContain('This is permanent.')
  expect([en['revoke.keep'], en.revoke]).toEqual(['Keep the key', 'Revoke'])
})

test('the history says nothing in the present tense of a date that may be past', () => {
  for (const id of ['history.overlap', 'history.expiring'] as const) {
    expect([en[id], ar[id]].join()).not.toMatch(/works until|expires|ينتهي|تنتهي/)
  }
})

test.each([
  ['ar', '«{name}»'],
  ['en', '“{name}”'],
])('the name of a key stands in quotes in every sentence (%s)', (lang, quoted) => {
  // The only names that are not of keys.
  const others: readonly MessageId[] = ['by', 'due.paused']
  for (const id of ids.filter((one) => !others.includes(one))) {
    for (const form of formsOf(languages[lang]?.[id] ?? '')) {
      expect([id, form.replaceAll(quoted, '')]).toEqual([id, form.replace(/.\{name\}./g, '')])
    }
  }
  const { text } = localeOf(lang)
  expect(text('revoke.title', { name: 'n' })).toContain(quoted.replace('{name}', isolate('n')))
})

test.each(plurals)('%s in Arabic for every kind of count', (id) => {
  const { text } = localeOf('ar')
  counts.forEach((n, at) => {
    const message: Message = ar[id]
    const form = arabicForms[at] as Intl.LDMLPluralRule
    const written = typeof message === 'string' ? message : (message[form] ?? message.other)
    const filled = written.replace('{n}', isolate(String(n))).replace('{active}', isolate('24'))
    expect(text(id, { n, active: 24 })).toBe(filled)
  })
})

test('no sentence has a number of its own, which would ignore that choice', () => {
  for (const messages of Object.values(languages)) {
    for (const id of ids) for (const form of formsOf(messages[id])) expect(form).not.toMatch(/\d/)
  }
})

test('a page can put its own sentences and languages in place', () => {
  const strings = { en: { new: 'Mint' }, fr: { new: 'Nouvelle clé' } }
  const text = (lang: string) =>
    createLocale({ ...localeOf('en').settings, lang, strings }).text('new')
  expect(text('en-GB')).toBe('Mint')
  expect(text('fr-CA')).toBe('Nouvelle clé')
  expect(text('ar')).toBe('مفتاح جديد')
  expect(text('de')).toBe('Mint')
})

test('in markup every value runs in its own direction', () => {
  const strings = { en: { new: 'a {prefix} b {name} c {n}' } }
  const { rich } = createLocale({ ...localeOf('en').settings, strings })
  expect(markupOf(rich('new', { prefix: 'svc_live_abc', name: 'n\u202E', n: 1_000 }))).toBe(
    'a <bdi dir="ltr">svc_live_abc</bdi> b <bdi>n\uFFFD</bdi> c <bdi>1,000</bdi>',
  )
  expect(markupOf(rich('new'))).toBe('a <bdi dir="ltr"></bdi> b <bdi></bdi> c <bdi></bdi>')
})

/** A template as it would be drawn, for values that need no escaping. */
function markupOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(markupOf).join('')
  if (typeof value !== 'object' || value === null) return String(value)
  const { strings, values } = value as TemplateResult
  return strings.map((text, at) => text + markupOf(values[at] ?? '')).join('')
}
