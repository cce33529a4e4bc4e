import { expect, test } from 'vitest'
import { read } from './sources.ts'

const page = read('docs/options.md')

/** The first cells of the table below a heading. */
function rowsUnder(heading: string): readonly (string | undefined)[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [own = ''] = section.split('\n## ')
  return [...own.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
}

/** The names that an interface declares. */
function declared(file: string, body: RegExp, member: RegExp): readonly (string | undefined)[] {
  const [, text = ''] = body.exec(read(file)) ?? []
  return [...text.matchAll(member)].map(([, name]) => name)
}

test.each([
  [
    'createApiKeys',
    declared(
      'src/options.ts',
      /interface ApiKeysOptions<[^{]*\{(.*?)\n\}/s,
      /^ {2}readonly (\w+)\??:/gm,
    ),
  ],
  ['Methods', declared('src/api-keys.ts', /interface ApiKeys<[^{]*\{(.*?)\n\}/s, /^ {2}(\w+)\(/gm)],
])('docs/options.md has a row for each name under %s', (heading, names) => {
  expect(names.length).toBeGreaterThan(10)
  expect(rowsUnder(heading).toSorted()).toEqual(names.toSorted())
})
