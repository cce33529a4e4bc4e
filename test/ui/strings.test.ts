import { expect, test } from 'vitest'
import { createLocale } from '../../adapters/ui/format/locale.ts'
import { isolate } from '../../adapters/ui/format/text.ts'
import type { Message, MessageId, Messages } from '../../adapters/ui/strings/messages.ts'
import { fr } from '../../examples/settings-tab-french/fr.ts'
import { ar, en } from '../support/settings-tab/strings.ts'

const ids = Object.keys(en) as MessageId[]
const languages: Readonly<Record<string, Messages>> = { ar, en, fr }
const plurals = ids.filter((id) => typeof ar[id] !== 'string')
const counts = [0, 1, 2, 3, 10, 11, 24, 99, 100, 102, 103]

const formsOf = (message: Message) =>
  typeof message === 'string' ? [message] : Object.values(message)
const placesOf = (message: Message) =>
  [...new Set(formsOf(message).flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort()

function localeOf(lang: string) {
  const timeZone = 'Asia/Riyadh'
  return createLocale({ lang, dir: 'rtl', timeZone, strings: {} })
}

test.each(Object.entries(languages))(
  'every sentence is there in %s, with its places',
  (_, messages) => {
    expect(Object.keys(messages).sort()).toEqual([...ids].sort())
    for (const id of ids) expect([id, placesOf(messages[id])]).toEqual([id, placesOf(en[id])])
  },
)

test('the French of the example has its spaces', () => {
  for (const form of ids.flatMap((id) => formsOf(fr[id]))) {
    expect(form).not.toMatch(/[^\u00a0][?:;»]|«[^\u00a0]/)
  }
})

test('each plural set has every form that its language needs', () => {
  expect(plurals).toHaveLength(5)
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

test.each([
  // The question forbids nothing that one of its buttons says.
  ['revoke.body', /هذا الإجراء نهائي\.|This is permanent\./, /تراجع/],
  // The history says nothing in the present tense of a date that may be past.
  ['history.overlap', /./, /works until|expires|ينتهي|تنتهي/],
  ['history.expiring', /./, /works until|expires|ينتهي|تنتهي/],
] as const)('%s says what is true, and nothing else', (id, said, unsaid) => {
  for (const sentence of [en[id], ar[id]]) {
    expect(sentence).toMatch(said)
    expect(sentence).not.toMatch(unsaid)
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
  for (const n of counts) {
    const message: Message = ar[id]
    const form = new Intl.PluralRules('ar').select(n)
    const written = typeof message === 'string' ? message : (message[form] ?? message.other)
    const filled = written.replace('{n}', isolate(String(n))).replace('{active}', isolate('24'))
    expect(text(id, { n, active: 24 })).toBe(filled)
  }
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
