import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { npm, ROOT } from '../support/package/npm.ts'

const read = (name: string) => readFileSync(join(ROOT, '.github/workflows', name), 'utf8')
const ci = read('ci.yml')
const release = read('release.yml')
const security = read('security.yml')
const site = read('site.yml')
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const { scripts } = manifest

describe.each([
  ['ci.yml', ci],
  ['release.yml', release],
  ['security.yml', security],
  ['site.yml', site],
])('%s', (_, text) => {
  test('every action is pinned by its whole commit, with its version behind it', () => {
    const uses = text.split('\n').filter((line) => /^\s*(- )?uses:/.test(line))
    expect(uses.length).toBeGreaterThan(1)
    const pinned = /uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/
    expect(uses.filter((line) => !pinned.test(line))).toEqual([])
  })

  test('it may read, unless a job says more', () => {
    expect(text).toMatch(/^permissions:\n {2}contents: read\n/m)
  })

  test('what it runs is there', () => {
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(
      ([, name = '']) => name,
    )
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})

test.each([ci, release])('the tests of CI run before anything else counts', (text) => {
  expect(text).toContain('.ci/run')
  expect([...text.matchAll(/npm run /g)].length).toBeGreaterThan(2)
})

test.each([ci, release])('the servers are there before the tests that require them', (text) => {
  expect(text).toMatch(/run: \.ci\/servers\n +- run: \.ci\/run\n/)
  expect(text).toContain("REQUIRE_SERVERS: '1'\n")
})

test('ci.yml: every Node that is supported and tested', () => {
  expect(ci).toContain('node: [20, 22, 24]')
})

test('release.yml: the job that may stage is the last, runs no script and has provenance', () => {
  const [build = '', publish = ''] = release.split(/^ {2}publish:$/m)
  expect(build).not.toContain('id-token')
  expect(publish).toContain('id-token: write')
  expect(publish.match(/^ +- run: .*$/gm)).toHaveLength(1)
  expect(publish).toMatch(/npm@\d+\.\d+\.\d+ stage publish .*--provenance .*--ignore-scripts/)
})

test('release.yml: the packed manifest gets its addresses from the one place that knows them', () => {
  const { repository, homepage, bugs } = manifest
  expect({ repository, homepage, bugs }).toEqual({})
  expect(release).toContain('address="$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"')
  for (const field of [
    'repository.url=git+$address.git',
    'homepage=$address',
    'bugs.url=$address',
  ]) {
    expect(release).toContain(field)
  }
})

test('npm run jsr: the version and the entries of the package, without those for pages', () => {
  const jsr = JSON.parse(npm(ROOT, 'run', '--silent', 'jsr'))
  expect(jsr.version).toBe(manifest.version)
  expect(jsr.exports['./postgres']).toBe('./adapters/storage/postgres.ts')
  expect(Object.keys(jsr.exports)).toContain('.')
  expect(Object.keys(jsr.exports).filter((name) => /tab|react/.test(name))).toEqual([])
  const sources: string[] = Object.values(jsr.exports)
  expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([])
})

test('every issue form has a name and says what it is for', () => {
  for (const form of ['bug', 'question', 'change']) {
    const text = readFileSync(join(ROOT, `.github/ISSUE_TEMPLATE/${form}.yml`), 'utf8')
    expect(text).toMatch(/^name: .+\ndescription: .+\nlabels: \[\w+\]\nbody:\n/)
  }
})
