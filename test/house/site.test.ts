import { describe, expect, test } from 'vitest'
import { REDIRECTS } from '../../docs/.vitepress/addresses.ts'
import { foldTerm } from '../../docs/.vitepress/fold-term.ts'
import { guides, navigation, reachedPages } from '../../docs/.vitepress/navigation.ts'

/** The Arabic start page is that of the language itself. */
const START_PAGES = ['docs/ar/README.md']

test('the navigation of the site reaches every guide: add it to “Read on” of the README', () => {
  const reached = reachedPages()
  const missing = guides().filter((page) => !reached.has(page) && !START_PAGES.includes(page))
  expect(guides().length).toBeGreaterThan(40)
  expect(missing).toEqual([])
})

test('the navigation has the headings of the README, with the API reference', () => {
  const titles = navigation().map(({ title }) => title)
  expect(titles).toEqual(['Start', 'HTTP', 'Storage', 'Operate', 'Evidence', 'Reference'])
  const pages = navigation().flatMap((group) => group.pages)
  expect(pages.map(({ file }) => file)).toContain('docs/api/README.md')
  const tab = pages.find(({ file }) => file === 'docs/settings-tab.md')
  expect(tab?.under.map(({ file }) => file)).toContain('docs/settings-tab-security.md')
})

test('no redirect leads to another', () => {
  expect(Object.values(REDIRECTS).filter((to) => to in REDIRECTS)).toEqual([])
})

describe('the search folds', () => {
  test.each([
    [['مفتاح', 'المفتاح', 'مِفْتاح', 'والمفتاح', 'بالمفتاح', 'للمفتاح', 'مفتـاح']],
    [['إبطال', 'ابطال', 'الإبطال']],
    [['صلاحية', 'صلاحيه', 'الصلاحية']],
    [['إلى', 'الي']],
    [['Revoke', 'revoke', 'REVOKE']],
  ])('%j to one', (words) => {
    expect(new Set(words.map(foldTerm)).size).toBe(1)
  })

  test.each([
    ['الله', 'له'],
    ['key', 'keys'],
    ['مفتاح', 'مفاتيح'],
  ])('%s and %s apart', (one, other) => {
    expect(foldTerm(one)).not.toBe(foldTerm(other))
  })

  test('without anything from outside, since its text is sent to the browser', () => {
    const alone = new Function('term', `return (${String(foldTerm)})(term)`)
    expect(alone('المفتاح')).toBe(foldTerm('المفتاح'))
  })
})
