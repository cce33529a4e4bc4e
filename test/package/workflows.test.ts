import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../support/package/npm.ts'

const read = (name: string) => readFileSync(join(ROOT, '.github/workflows', name), 'utf8')
const ci = read('ci.yml')
const release = read('release.yml')
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

describe.each([
  ['ci.yml', ci],
  ['release.yml', release],
])('%s', (_, text) => {
  test('every action is pinned by its whole commit, with its version behind it', () => {
    const uses = text.split('\n').filter((line) => /^\s*(- )?uses:/.test(line))
    expect(uses.length).toBeGreaterThan(1)
    const pinned = /uses: [\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/
    expect(uses.filter((line) => !pinned.test(line))).toEqual([])
  })

  test('it may read, unless a job says more', () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read\n/m)
  })

  test('what it runs is there', () => {
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(
      ([, name = '']) => name,
    )
    expect(named.length).toBeGreaterThan(2)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
    expect(text).toContain('.ci/run')
  })
})

test('ci.yml: every Node that is supported and tested', () => {
  expect(ci).toContain('node: [20, 22, 24]')
})

test('release.yml: the job that may publish is the last, runs no script and has provenance', () => {
  const [build = '', publish = ''] = release.split(/^ {2}publish:$/m)
  expect(build).not.toContain('id-token')
  expect(publish).toContain('id-token: write')
  expect(publish.match(/^ +- run: .*$/gm)).toHaveLength(1)
  expect(publish).toMatch(/npm publish .*--provenance .*--ignore-scripts/)
})
