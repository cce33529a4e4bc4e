import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ROOT } from '../support/package/npm.ts'

const WORKFLOWS = join(ROOT, '.github/workflows')
const workflow = (name: string) => readFileSync(join(WORKFLOWS, name), 'utf8')
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

// zizmor looks at their pins and permissions (security.yml).
test.each(readdirSync(WORKFLOWS))('every npm script that %s runs is there', (name) => {
  const named = [...workflow(name).matchAll(/npm run (?:--silent )?([\w:-]+)/g)]
  expect(named.filter(([, script = '']) => !(script in manifest.scripts))).toEqual([])
})

test('release.yml: the job that may stage is the last, runs no script and has provenance', () => {
  const [build = '', publish = ''] = workflow('release.yml').split(/^ {2}publish:$/m)
  expect(build).not.toContain('id-token')
  expect(publish).toContain('id-token: write')
  expect(publish.match(/^ +- run: .*$/gm)).toHaveLength(1)
  expect(publish).toMatch(/npm@\d+\.\d+\.\d+ stage publish .*--provenance .*--ignore-scripts/)
})

describe('npm run address, which release.yml runs before it packs', () => {
  const ADDRESS = 'https://github.com/owner/name'
  const PAGES = ['README.md', 'CHANGELOG.md', 'SECURITY.md']
  const program = join(ROOT, 'test/programs/address.ts')
  const run = (...words: readonly string[]) => {
    const own = ['--import', import.meta.resolve('tsx'), program, ...words]
    return execFileSync(process.execPath, own, { cwd: folder, stdio: 'pipe' })
  }
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'miftah-address-'))
    for (const file of ['package.json', ...PAGES])
      copyFileSync(join(ROOT, file), join(folder, file))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')

  test('the manifest names the repository, and every link is absolute, to a file that is there', () => {
    run(ADDRESS)
    expect(JSON.parse(textOf('package.json'))).toEqual({
      ...manifest,
      repository: { type: 'git', url: 'git+https://github.com/owner/name.git' },
      homepage: 'https://github.com/owner/name#readme',
      bugs: { url: 'https://github.com/owner/name/issues' },
    })
    const inTag = new RegExp(`^${ADDRESS}/(?:blob|raw)/v${manifest.version}/([^#]+)`)
    for (const page of PAGES) {
      const targets = [...textOf(page).matchAll(/\]\(([^)]+)\)/g)].map(([, to = '']) => to)
      expect(targets.filter((to) => !/^(?:https:\/\/|#)/.test(to))).toEqual([])
      const files = targets.map((to) => inTag.exec(to)?.[1]).filter((file) => file !== undefined)
      expect(files.length).toBeGreaterThan(0)
      expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
    }
  })

  test.each([[], ['owner/name'], ['https://github.com/owner/name/']])(
    '%j is refused',
    (...words) => {
      expect(() => run(...words)).toThrow('npm run address -- https://github.com/OWNER/NAME')
      expect(textOf('README.md')).toBe(readFileSync(join(ROOT, 'README.md'), 'utf8'))
    },
  )
})
