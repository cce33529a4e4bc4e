import { describe, expect, test } from 'vitest'
import { filesIn, read } from './sources.ts'

/** The pages in Arabic, each with the English page that it translates. */
const PAGES: Readonly<Record<string, string>> = {
  'docs/ar/README.md': 'README.md',
  'docs/ar/getting-started.md': 'docs/getting-started.md',
  'docs/ar/key-lifecycle.md': 'docs/key-lifecycle.md',
  'docs/ar/live-example.md': 'docs/live-example.md',
  'docs/ar/settings-tab.md': 'docs/settings-tab.md',
}

/** Every block of code with its fence. */
const blocksOf = (text: string) => text.match(/^```[\s\S]*?^```$/gm) ?? []

/** The headings by their depth. */
const depthsOf = (text: string) =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+(?= )/gm)].map(
    ([mark]) => mark.length,
  )

test('every Arabic page has its English one', () => {
  expect(filesIn('docs/ar', '.md')).toEqual(Object.keys(PAGES).sort())
})

describe.each(Object.entries(PAGES))('%s', (page, original) => {
  const arabic = read(page)
  const english = read(original)

  test('has the same code, block for block', () => {
    expect(blocksOf(arabic).length).toBeGreaterThan(0)
    expect(blocksOf(arabic)).toEqual(blocksOf(english))
  })

  test('has the same headings, level for level', () => {
    expect(depthsOf(arabic)).toEqual(depthsOf(english))
  })

  test('and the English page link to each other', () => {
    expect(arabic).toMatch(/^\[English\]\([./a-z]*[\w-]+\.md\)$/m)
    expect(english).toMatch(/^\[العربية\]\([./a-z]*ar\/[\w-]+\.md\)$/m)
  })
})
