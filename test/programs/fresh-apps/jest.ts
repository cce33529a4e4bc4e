import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fencesIn } from '../../house/snippets.ts'
import { ROOT } from '../../support/package/npm.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { compiled, type Format } from './formats.ts'
import { NO_SQLITE, saidOnce } from './misconfigured.ts'

const GUIDE = 'docs/testing.md'

/**
 * Runs the tests of the project and of the guide, then some on a storage that cannot work. Those must
 * fail, and the output must say what is wrong. Returns how many things were checked.
 */
export async function driveJest(home: string, format: Format): Promise<number> {
  const guide = writeGuide(home, format)
  if (format === 'commonjs') writeFileSync(join(home, 'jest.config.js'), configOfGuide())
  const server = await startPostgres()
  try {
    const env = { DATABASE_URL: server.url(await server.createDatabase()) }
    const output = runJest(home, format, { env, status: 0 })
    const passed = Number(/^Tests: .*?(\d+) passed/m.exec(output)?.[1])
    if (!(passed > guide)) throw new Error(`jest ran too few tests:\n${output}`)
    return passed + misconfigured(home, format)
  } finally {
    await server.dispose()
  }
}

/** The configuration that the guide gives for CommonJS. */
function configOfGuide(): string {
  const [, config] = /^```js\n([^`]*transformIgnorePatterns[^`]*)```$/m.exec(guideText()) ?? []
  if (config === undefined) throw new Error(`${GUIDE} has no configuration of Jest`)
  return config
}

const guideText = () => readFileSync(join(ROOT, GUIDE), 'utf8')

/** Writes the tests of the guide, without the import of a test runner, and answers how many there are. */
function writeGuide(home: string, format: Format): number {
  const snippets = fencesIn(GUIDE, guideText())
  const tests = snippets.filter(({ code }) => code.includes("from 'vitest'"))
  for (const [at, { code }] of tests.entries()) {
    const own = code.replace(/^import .* from 'vitest'\n/m, '')
    writeFileSync(join(home, `guide-${at}.test.js`), compiled(own, format))
  }
  return tests.length
}

function misconfigured(home: string, format: Format): number {
  const env = { MISCONFIGURED: '1' }
  const output = runJest(home, format, { words: ['keys.test'], env, status: 1 })
  if (!/^Tests: +2 failed, 2 total$/m.test(output)) throw new Error(`jest passed:\n${output}`)
  const said = output.split('\n').filter((line) => line.includes('miftah: '))
  return 1 + saidOnce(said.join('\n'), NO_SQLITE)
}

interface Run {
  readonly words?: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly status: 0 | 1
}

/** The output of Jest, which must end with the status. */
function runJest(home: string, format: Format, { words = [], env, status }: Run): string {
  const command = join(home, 'node_modules/.bin/jest')
  // Jest has ES modules behind a flag of Node.
  const node = format === 'module' ? { NODE_OPTIONS: '--experimental-vm-modules' } : {}
  const options = { cwd: home, env: { ...process.env, ...node, ...env } }
  const ended = spawnSync(command, words, { ...options, encoding: 'utf8' })
  const output = ended.stdout + ended.stderr
  if (ended.status !== status) throw new Error(`jest ended with ${ended.status}:\n${output}`)
  return output
}
