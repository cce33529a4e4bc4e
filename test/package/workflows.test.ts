import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ROOT } from '../support/package/npm.ts'

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

describe('npm run address, which release.yml runs before it packs', () => {
  const ADDRESS = 'https://github.com/owner/name'
  const PAGES = ['README.md', 'CHANGELOG.md', 'SECURITY.md']
  const run = (folder: string, ...words: readonly string[]) =>
    execFileSync(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), join(ROOT, 'test/programs/address.ts'), ...words],
      { cwd: folder, stdio: 'pipe' },
    )
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'miftah-address-'))
    for (const file of ['package.json', ...PAGES])
      copyFileSync(join(ROOT, file), join(folder, file))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')

  test('the manifest names the repository, which it does not in the repository itself', () => {
    const { repository, homepage, bugs } = manifest
    expect({ repository, homepage, bugs }).toEqual({})
    expect(release).toContain('address -- "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"')
    run(folder, ADDRESS)
    expect(JSON.parse(textOf('package.json'))).toEqual({
      ...manifest,
      repository: { type: 'git', url: 'git+https://github.com/owner/name.git' },
      homepage: 'https://github.com/owner/name#readme',
      bugs: { url: 'https://github.com/owner/name/issues' },
    })
  })

  test.each(PAGES)('every link of %s is absolute, to a file that is there', (page) => {
    run(folder, ADDRESS)
    const targets = [...textOf(page).matchAll(/\]\(([^)]+)\)/g)].map(([, to = '']) => to)
    expect(targets.filter((to) => !/^(?:https:\/\/|#)/.test(to))).toEqual([])
    const files = targets
      .map(
        (to) => new RegExp(`^${ADDRESS}/(?:blob|raw)/v${manifest.version}/([^#]+)`).exec(to)?.[1],
      )
      .filter((file) => file !== undefined)
    expect(files.length).toBeGreaterThan(3)
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  })

  test.each([[], ['owner/name'], ['https://github.com/owner/name/']])(
    '%j is refused',
    (...words) => {
      expect(() => run(folder, ...words)).toThrow(
        'npm run address -- https://github.com/OWNER/NAME',
      )
      expect(textOf('README.md')).toBe(readFileSync(join(ROOT, 'README.md'), 'utf8'))
    },
  )
})

test('every issue form has a name and says what it is for', () => {
  for (const form of ['bug', 'question', 'change']) {
    const text = readFileSync(join(ROOT, `.github/ISSUE_TEMPLATE/${form}.yml`), 'utf8')
    expect(text).toMatch(/^name: .+\ndescription: .+\nlabels: \[\w+\]\nbody:\n/)
  }
})
