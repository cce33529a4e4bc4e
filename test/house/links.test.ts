import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { guides, reachedPages } from '../../docs/.vitepress/navigation.ts'
import { slug } from '../../docs/.vitepress/slug.ts'
import { filesIn, ROOT, read } from './sources.ts'

const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...filesIn('docs', '.md')]

/** The relative links of a page: where to, and the heading. */
function linksOf(page: string): readonly (readonly [file: string, heading: string])[] {
  const text = read(page).replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
  return [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#?([^)\s]*)\)/g)].map(
    ([, file = '', heading = '']) => [
      file === '' ? page : join(dirname(page), decodeURI(file)),
      heading,
    ],
  )
}

/** What the headings of a page are called in its address. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = read(page).matchAll(/^#+ (.+)$/gm)
  const seen = new Map<string, number>()
  return new Set(
    [...headings].map(([, heading = '']) => {
      const anchor = slug(heading)
      const before = seen.get(anchor) ?? 0
      seen.set(anchor, before + 1)
      return before === 0 ? anchor : `${anchor}-${before}`
    }),
  )
}

test.each(PAGES)('%s links to what is there', (page) => {
  const broken = linksOf(page).filter(([file, heading]) => {
    if (!existsSync(join(ROOT, file))) return true
    return heading !== '' && file.endsWith('.md') && !anchorsOf(file).has(heading)
  })
  expect(broken.map(([file, heading]) => `${file}#${heading}`)).toEqual([])
})

test.each(PAGES)('%s names files of tests and sources that are there', (page) => {
  const named = [...read(page).matchAll(/`((?:test|src|adapters)\/[^`*{\s]+)`/g)]
  const files = named.map(([, file = '']) => file)
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})

test('docs/README.md, which is the navigation of the site, leads to every guide', () => {
  const reached = reachedPages()
  expect(guides().filter((page) => !reached.has(page))).toEqual([])
})
