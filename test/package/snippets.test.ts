import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loader, runSnippet } from '../house/run-snippet.ts'
import { allSnippets } from '../house/snippets.ts'
import { builtName, ENTRIES } from '../support/entries.ts'

// test/house compiles the same snippets and runs them on the sources.
const SNIPPETS = allSnippets().filter(({ place, runs }) => runs && /^(?:docs|README)/.test(place))

/** Loads a published name from its built file, and anything else as a package. */
const load = loader(
  new Map([...ENTRIES.keys()].map((name) => [name, `dist/${builtName(name)}.js`])),
)

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

test.each(SNIPPETS)('$place', async ({ code }) => {
  await runSnippet(code, load, (actual, expected) => expect(actual).toEqual(expected))
})
