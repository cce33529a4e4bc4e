import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installLocked } from '../../support/package/installed.ts'

/*
 * `npm run openapi`: docs/openapi.json by the recommended rules of Redocly and the `oas` rules of
 * Spectral, and the types that openapi-typescript makes of it; `-- --write` writes them for the tests.
 */
const SHELF = fileURLToPath(new URL('shelf/', import.meta.url))
const DOCUMENT = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url))
const TYPES = fileURLToPath(new URL('../../support/http/openapi-types.d.ts', import.meta.url))

installLocked(SHELF)
lintWithRedocly()
lintWithSpectral()
compareTypes()

function reports(name: string, passes: boolean, output: string): void {
  console.log(`${name}: ${passes ? 'no finding' : 'FAILED'}`)
  if (passes) return
  console.error(output)
  process.exitCode = 1
}

/** Redocly ends with 0 when there are warnings alone. */
function lintWithRedocly(): void {
  const words = ['lint', DOCUMENT, '--extends', 'recommended', '--format', 'json']
  const { stdout, stderr } = run('redocly', words)
  const { errors, warnings, ignored } = JSON.parse(stdout).totals
  reports('Redocly', errors + warnings + ignored === 0, stdout + stderr)
}

function lintWithSpectral(): void {
  const rules = ['--ruleset', join(SHELF, 'spectral.yaml'), '--fail-severity', 'hint']
  const { status, stdout, stderr } = run('spectral', ['lint', DOCUMENT, ...rules])
  reports('Spectral', status === 0, stdout + stderr)
}

function compareTypes(): void {
  const { status, stdout, stderr } = run('openapi-typescript', [DOCUMENT])
  if (status !== 0) throw new Error(`openapi-typescript failed: ${stderr}`)
  const sum = createHash('sha256').update(readFileSync(DOCUMENT)).digest('hex')
  const types = `// By \`npm run openapi -- --write\`, from docs/openapi.json with the SHA-256 ${sum}.\n${stdout}`
  if (process.argv.includes('--write')) writeFileSync(TYPES, types)
  const same = readFileSync(TYPES, 'utf8') === types
  console.log(`openapi-typescript: ${same ? 'the types of the tests' : 'FAILED, add -- --write'}`)
  if (!same) process.exitCode = 1
}

function run(command: string, words: readonly string[]) {
  return spawnSync(join(SHELF, 'node_modules/.bin', command), words, {
    cwd: SHELF,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' },
  })
}
