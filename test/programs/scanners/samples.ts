import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { mintSecret } from '../../../src/secret/mint.ts'

/** One secret at its place, as a scanner has to report it. */
export interface Leak {
  readonly file: string
  readonly line: number
  readonly secret: string
}

/** What stands around a secret in a file, `«KEY»` for the secret, and in which line it stands. */
const PLACES: readonly (readonly [file: string, line: number, text: string])[] = [
  ['.env', 2, 'PORT=3000\nAPI_KEY=«KEY»\n'],
  ['config.json', 1, '{"headers":{"authorization":"Bearer «KEY»"}}'],
  ['deploy/values.yaml', 3, 'api:\n  # never here\n  key: "«KEY»"\n'],
  ['src/client.ts', 1, 'fetch(`/v1/contacts?key=«KEY»&page=2`)\n'],
  ['src/build.min.js', 1, `${'var a=1;'.repeat(5_000)}k="«KEY»";${'b();'.repeat(5_000)}`],
  ['docs/arabic.md', 1, 'المفتاح«KEY» هنا\n'],
  ['docs/windows.txt', 2, 'key:\r\n«KEY»\r\n'],
  ['access.log', 1, '127.0.0.1 "GET /?key=«KEY» HTTP/1.1" 200\n'],
  ['dump.sql', 1, "INSERT INTO notes VALUES ('«KEY»');\n"],
]

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

/** Makes a folder of leaks and of harmless texts; what is to be found in it. */
export function makeSamples(folder: string): readonly Leak[] {
  const leaks: Leak[] = []
  for (const [file, line, text] of PLACES) {
    const secret = mintSecret('svc', line % 2 === 0 ? 'test' : 'live')
    write(
      join(folder, file),
      text.replace('«KEY»', () => secret),
    )
    leaks.push({ file, line, secret })
  }
  const two = [mintSecret('svc', 'live'), mintSecret('svc', 'test')]
  write(join(folder, 'two.txt'), `old ${two[0]} new ${two[1]}\n`)
  leaks.push(...two.map((secret) => ({ file: 'two.txt', line: 1, secret })))
  write(join(folder, 'harmless.txt'), HARMLESS.map((text) => `key = "${text}"\n`).join(''))
  return leaks
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
