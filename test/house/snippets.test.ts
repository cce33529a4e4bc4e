import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENTRIES } from '../support/entries.ts'
import { loader, runSnippet } from './run-snippet.ts'
import { allSnippets } from './snippets.ts'

/*
 * Every piece of code that a reader is shown does what it says, and compiles (`checks.test.ts`). A fence
 * marked `ts no-run` is only compiled: it needs a server, a browser or files of the reader's own, which
 * stand for that purpose in `neighbours/`.
 */

const snippets = allSnippets().filter(({ runs }) => runs)

const home = process.cwd()
const elsewhere = mkdtempSync(join(tmpdir(), 'miftah-snippets-'))
beforeAll(() => {
  process.chdir(elsewhere)
  mkdirSync('.data')
})
afterAll(() => {
  process.chdir(home)
  rmSync(elsewhere, { recursive: true })
})

/** What a snippet shows, and what it says that it shows. */
async function shownBy(code: string) {
  const shown: [unknown, unknown][] = []
  await runSnippet(code, loader(ENTRIES), (...pair) => shown.push(pair))
  return shown
}

test('there are snippets', () => expect(snippets.length).toBeGreaterThan(50))

test.each(snippets)('$place', async ({ code }) => {
  const shown = await shownBy(code)
  for (const [actual, expected] of shown) expect(actual).toEqual(expected)
  expect(shown).toHaveLength(code.split('//=>').length - 1)
})

describe('the runner', () => {
  test('compares what is shown', async () => {
    const code = "import { plans } from 'miftah'\nif (true) plans.none.activeKeyLimit //=> 7"
    expect(await shownBy(`${code}\nawait Promise.resolve('1')\n//=> '1'`)).toEqual([
      [0, 7],
      ['1', '1'],
    ])
  })

  test('does not pass over an arrow that shows nothing', async () => {
    await expect(shownBy('const a = 3 //=> 3')).rejects.toThrow('nothing to show')
  })
})
