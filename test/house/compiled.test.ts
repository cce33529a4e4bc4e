import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENTRIES } from '../support/entries.ts'
import { programOf } from './program.ts'
import { anyIn, exportsOf } from './public-surface.ts'
import { loader, runSnippet } from './run-snippet.ts'
import { allSnippets, fencesIn } from './snippets.ts'
import { ROOT } from './sources.ts'

/*
 * Every piece of code that a reader is shown does what it says, and compiles (`checks.test.ts`). A fence
 * marked `ts no-run` is only compiled: it needs a server, a browser or files of the reader's own, which
 * stand for that purpose in `neighbours/`.
 */

const snippets = allSnippets()

const planted = {
  file: join(ROOT, 'test/house/neighbours/any.ts'),
  code: 'export interface A { b: Promise<(c: string) => any[]>; d: B } interface B { e: any }',
}

const program = programOf([...ENTRIES.values()], new Map([[planted.file, planted.code]]))
const load = loader(ENTRIES)

/**
 * The cause of an error is declared as any by the platform. Express's own request and response have
 * type arguments and members that are any; the context of Hono has such arguments, too.
 */
const NOT_OURS =
  /\.(cause|captureStackTrace|prepareStackTrace)\b|^manageKeys\(\)\((req|res)\)<>|^manageKeys\(options\)<>\.(body|cookies|route|signedCookies|res)\b|^require(Key|Scope)\(options\)(<>)+$|^(introspectKeys|revokeBySecret|forwardAuth)\((\)\(c|options)\)<>|^HonoEndpoint\(c\)<>/

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

test('there are snippets', () => {
  expect(snippets.length).toBeGreaterThan(20)
  expect(snippets.filter(({ runs }) => runs).length).toBeGreaterThan(15)
})

describe('the public surface', () => {
  const entries = [...ENTRIES].map(([name, file]) => ({
    name,
    file,
    exported: exportsOf(program, file),
  }))

  test('every name of every entry: a new one is a decision, and vitest -u writes it', async () => {
    const lines = entries.flatMap(({ name, exported }) =>
      [...exported.keys()].map((word) => `${name} ${word}\n`),
    )
    await expect(lines.sort().join('')).toMatchFileSnapshot('exports.txt')
  })

  test('at most 20 entries, and 50 names in the root', () => {
    expect(entries.length).toBeLessThanOrEqual(20)
    expect(entries.find(({ name }) => name === 'miftah')?.exported.size).toBeLessThanOrEqual(50)
  })

  test.each(entries)('no type of $name is any', ({ exported }) => {
    const found = [...exported.values()].flatMap((symbol) => anyIn(program, symbol))
    expect(found.filter((path) => !NOT_OURS.test(path))).toEqual([])
  })

  test('any would be found, wherever it stood', () => {
    const [symbol] = exportsOf(program, 'test/house/neighbours/any.ts').values()
    expect(symbol && anyIn(program, symbol)).toEqual(['A.b<>()<>', 'A.d.e'])
  })
})

describe('runs', () => {
  test.each(snippets.filter(({ runs }) => runs))('$place', async ({ code }) => {
    const shown: [unknown, unknown][] = []
    await runSnippet(code, load, (actual, expected) => shown.push([actual, expected]))
    for (const [actual, expected] of shown) expect(actual).toEqual(expected)
    expect(shown).toHaveLength(code.split('//=>').length - 1)
  })
})

describe('the runner', () => {
  const run = async (code: string) => {
    const shown: [unknown, unknown][] = []
    await runSnippet(code, load, (...pair) => shown.push(pair))
    return shown
  }

  test('compares what is shown', async () => {
    const code =
      "import { plans } from 'miftah'\nif (true) plans.none.activeKeyLimit //=> 7\nString(1)\n//=> '1'"
    expect(await run(code)).toEqual([
      [0, 7],
      ['1', '1'],
    ])
  })

  test('waits for what is awaited', async () => {
    expect(await run('const a = Promise.resolve(3)\nawait a //=> 3')).toEqual([[3, 3]])
  })

  test('does not pass over an arrow that shows nothing', async () => {
    await expect(run('const a = 3 //=> 3')).rejects.toThrow('nothing to show')
  })

  test('finds fences, and which are not run', () => {
    const text =
      "x\n```ts\nimport 'a' from 'miftah'\n```\n```js\nno\n```\n```ts no-run\nimport { b } from 'miftah'\n```\n```ts\nconst c = 1\n```"
    expect(fencesIn('a.md', text)).toMatchObject([
      { place: 'a.md:3', runs: true },
      { place: 'a.md:9', runs: false },
      { place: 'a.md:12', runs: false },
    ])
  })
})
