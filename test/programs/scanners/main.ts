import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, SCANNERS, type Scanner } from './programs.ts'
import { type Leak, makeSamples } from './samples.ts'

/*
 * `npm run scanners`: the rules of docs/secret-scanning, by the real programs, on a folder of leaks
 * and harmless neighbours. gitleaks comes from the path or else from npm, trufflehog from the path.
 */

const folder = mkdtempSync(join(tmpdir(), 'miftah-scanners-'))
const samples = join(folder, 'samples')
try {
  mkdirSync(samples)
  const leaks = makeSamples(samples)
  for (const scanner of SCANNERS) check(scanner, leaks)
} finally {
  rmSync(folder, { recursive: true })
}

function check({ name, command, version, scan }: Scanner, leaks: readonly Leak[]): void {
  const program = command()
  if (program === null) {
    console.log(`${name}: skipped, it is not installed`)
    return
  }
  const found = scan(program, samples, join(folder, `${name}.json`)).map(told)
  const expected = leaks.map(told)
  const missed = expected.filter((leak) => !found.includes(leak))
  const wrong = found.filter((leak) => !expected.includes(leak))
  const counts = `${expected.length - missed.length} of ${expected.length} leaks found`
  console.log(`${name} ${run([...program, ...version]).trim()}: ${counts}, ${wrong.length} wrong`)
  for (const leak of missed) console.error(`  MISSED ${leak}`)
  for (const leak of wrong) console.error(`  WRONG ${leak}`)
  if (missed.length + wrong.length > 0) process.exitCode = 1
}

function told({ file, line, secret }: Leak): string {
  return `${file}:${line} ${secret.slice(0, 16)}…`
}
