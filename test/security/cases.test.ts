import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { vectors } from './vectors.ts'

const ROOT = new URL('../../', import.meta.url)
const PAGE = readFileSync(new URL('docs/adversarial-cases.md', ROOT), 'utf8')
const ids = new Set(vectors.map(({ id }) => id))

const cases = [...PAGE.matchAll(/^\| ([A-Z]\d\d) \| (.+?) \| (.+?) \| (.+) \|$/gm)].map(
  ([, id = '', given = '', outcome = '', shownBy = '']) => ({ id, given, outcome, shownBy }),
)

/** The numbers of the list that the suite is built from; it skips some. */
const NUMBERS: Readonly<Record<string, string>> = {
  H: '1-12 14-17 19 21-27 31-37 40',
  M: '1-13 17-25',
  E: '1-9 11 13-15',
  U: '1-8 10-16',
}

describe('every adversarial case', () => {
  test('is in the tables, once and in order', () => {
    const wanted = Object.entries(NUMBERS).flatMap(([letter, text]) =>
      rangesOf(text).map((number) => `${letter}${String(number).padStart(2, '0')}`),
    )
    expect(cases.map(({ id }) => id)).toEqual(wanted)
  })

  test.each(cases)('$id: $given: $outcome', ({ shownBy }) => {
    if (/^no test: .+/.test(shownBy)) return
    expect(shownBy.split('<br>').filter((evidence) => !isThere(evidence))).toEqual([])
  })
})

test('evidence that is not there is noticed', () => {
  expect(isThere('vector `no-such-vector`')).toBe(false)
  expect(isThere('`test/security/no-such-file.ts`: a title')).toBe(false)
  expect(isThere('`test/core/authenticate/order.test.ts`: no such title')).toBe(false)
})

/** A vector of the file, or a test whose title its source, or that of a shared suite, has as a text. */
function isThere(evidence: string): boolean {
  const [, vector] = /^vector `(.+)`$/.exec(evidence) ?? []
  if (vector !== undefined) return ids.has(vector)
  const [, file = '', title = ''] =
    /^`((?:test|adapters\/storage\/testing)\/\S+\.ts)`: (.+)$/.exec(evidence) ?? []
  const url = new URL(file, ROOT)
  if (file === '' || !existsSync(url)) return false
  const source = readFileSync(url, 'utf8').replaceAll(
    /\b(?:test|describe)\.(?:skip|todo)\([^\n]*/g,
    '',
  )
  return [`'${title}'`, `"${title}"`, `\`${title}\``].some((literal) => source.includes(literal))
}

function rangesOf(text: string): number[] {
  return text.split(' ').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
}
