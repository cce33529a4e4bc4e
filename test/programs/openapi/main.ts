import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorsIn, programOf } from '../../house/program.ts'
import { ROOT } from '../../house/sources.ts'
import { installLocked } from '../../support/package/installed.ts'
import { openApi } from './document.ts'

/*
 * `npm run openapi` writes docs/openapi.json, which then has to pass the recommended rules of Redocly and the
 * `oas` rules of Spectral; and the client of the tests, which drives every route, is compiled against the types
 * that openapi-typescript makes of it.
 */
const SHELF = fileURLToPath(new URL('shelf/', import.meta.url))
const DOCUMENT = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url))
const TYPES = fileURLToPath(new URL('../../support/http/openapi-paths.ts', import.meta.url))
const CLIENT = 'test/http/management/generated-client.test.ts'

writeFileSync(DOCUMENT, `${JSON.stringify(openApi(), null, 1)}\n`)
installLocked(SHELF)
lintWithRedocly()
lintWithSpectral()
compileClient()

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

/** The generated types take the place of those that the tests derive from the package. */
function compileClient(): void {
  const { status, stdout, stderr } = run('openapi-typescript', [DOCUMENT])
  if (status !== 0) throw new Error(`openapi-typescript failed: ${stderr}`)
  const errors = errorsIn(programOf([CLIENT], new Map([[TYPES, stdout]])), join(ROOT, CLIENT))
  reports('The client with the types of openapi-typescript', errors.length === 0, errors.join('\n'))
}

function run(command: string, words: readonly string[]) {
  return spawnSync(join(SHELF, 'node_modules/.bin', command), words, {
    cwd: SHELF,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' },
  })
}
