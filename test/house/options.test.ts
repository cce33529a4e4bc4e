import { expect, test } from 'vitest'
import { read } from './sources.ts'

/** The first name that each match of a pattern finds. */
const namesIn = (text: string, name: RegExp) => [...text.matchAll(name)].map(([, one]) => one)

test.each([
  ['createApiKeys', 'src/options.ts', 'ApiKeysOptions', /^ {2}readonly (\w+)\??:/gm],
  ['Methods', 'src/api-keys.ts', 'ApiKeys', /^ {2}(\w+)\(/gm],
])('docs/options.md has a row for each name under %s', (heading, file, type, member) => {
  const [, section = ''] = read('docs/options.md').split(`\n## ${heading}\n`)
  const [, body = ''] =
    new RegExp(`interface ${type}<[^{]*\\{(.*?)\\n\\}`, 's').exec(read(file)) ?? []
  const names = namesIn(body, member)
  expect(names.length).toBeGreaterThan(10)
  const [own = ''] = section.split('\n## ')
  expect(namesIn(own, /^\| `(\w+)` \|/gm).toSorted()).toEqual(names.toSorted())
})
