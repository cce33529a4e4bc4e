import { expect, test } from 'vitest'
import { read } from './sources.ts'

test('docs/options.md has a row for each option of createApiKeys', () => {
  const [, declared = ''] =
    /interface ApiKeysOptions<[^{]*\{(.*?)\n\}/s.exec(read('src/options.ts')) ?? []
  const options = [...declared.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name)
  const rows = [...read('docs/options.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(options.length).toBeGreaterThan(10)
  expect(rows.toSorted()).toEqual(options.toSorted())
})
