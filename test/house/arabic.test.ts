import { describe, expect, test } from 'vitest'
import { filesIn, read } from './sources.ts'

/** The pages in Arabic, each with the English page that it translates. */
const PAGES: Readonly<Record<string, string>> = {
  'docs/ar/README.md': 'README.md',
  'docs/ar/getting-started.md': 'docs/getting-started.md',
}

/** Every block of code with its fence. */
const blocksOf = (text: string) => text.match(/^```[\s\S]*?^```$/gm) ?? []

/** The headings by their depth. */
const depthsOf = (text: string) =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+(?= )/gm)].map(
    ([mark]) => mark.length,
  )

/** What a page says beside code, HTML and tables: paragraphs, headings and items of lists. */
function proseOf(text: string): readonly string[] {
  const prose = text
    .replaceAll(/^```[\s\S]*?^```$|^<\/?div.*$|^\|.*$/gm, '')
    .replaceAll(/^- /gm, '\n')
  return prose.split(/\n{2,}/).filter((piece) => piece.trim() !== '')
}

test('every Arabic page has its English one', () => {
  expect(filesIn('docs/ar', '.md')).toEqual(Object.keys(PAGES).sort())
})

describe.each(Object.entries(PAGES))('%s', (page, original) => {
  const arabic = read(page)
  const english = read(original)

  test('has the same code, block for block', () => {
    expect(blocksOf(arabic).length).toBeGreaterThan(3)
    expect(blocksOf(arabic)).toEqual(blocksOf(english))
  })

  test('has the same headings, level for level', () => {
    expect(depthsOf(arabic)).toEqual(depthsOf(english))
  })

  test('and the English page link to each other', () => {
    expect(arabic).toMatch(/^\[English\]\([./a-z]*(README|getting-started)\.md\)$/m)
    expect(english).toMatch(/^\[العربية\]\([./a-z]*ar\/(README|getting-started)\.md\)$/m)
  })

  // GitHub takes the direction of a paragraph, a heading or a list from its first letter.
  test('begins every piece of prose with an Arabic letter', () => {
    const pieces = proseOf(arabic).filter((piece) => !piece.startsWith('[English]'))
    const first = (piece: string) => /\p{L}/u.exec(piece)?.[0] ?? ''
    expect(pieces.filter((piece) => !/\p{Script=Arabic}/u.test(first(piece)))).toEqual([])
  })

  // It takes that of a table from around it.
  test('has tables only where the text runs from right to left', () => {
    const outside = arabic.replaceAll(/^<div dir="rtl">$[\s\S]*?^<\/div>$/gm, '')
    expect(outside).not.toMatch(/^\|/m)
  })

  // Punctuation at the end of a line would be drawn at its other end.
  test('has inline code whose words begin and end with a letter or a digit', () => {
    const inline = arabic.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)
    const isOdd = (word: string) => !/^[a-z0-9](.*[a-z0-9])?$/i.test(word)
    const odd = [...inline].filter(([, code = '']) => code.split(' ').some(isOdd))
    expect(odd.map(([code]) => code)).toEqual([])
  })
})
