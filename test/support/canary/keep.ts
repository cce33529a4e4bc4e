import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { looksLikeSecret } from '../../../src/redact/index.ts'

const folder = process.env['MIFTAH_CANARY'] ?? ''

/** Whether this is `npm run canary`; otherwise nothing is kept. */
export const isCanaryRun = folder !== ''

export type Rows = readonly Readonly<Record<string, unknown>>[]

/** Whether a table may hold hashes, in its column `hash`: of keys, and of what caches must forget. */
export const holdsHashes = (table: unknown) => /(?:keys|changes)$/.test(String(table))

/** Keeps what must hold no secret and no hash. */
export function keepPlace(kind: 'tables' | 'logs', name: string, content: string): void {
  append(kind, `${JSON.stringify({ name, content })}\n`)
}

/** Keeps hashes from the places where hashes belong. */
export function keepHashes(hashes: readonly string[]): void {
  append('hashes', hashes.map((hash) => `${hash}\n`).join(''))
}

/** Searches the bytes of files for all that has the shape and the checksum of a secret. */
export function searchFiles(paths: readonly string[]): void {
  let bytes = 0
  const leaks: string[] = []
  for (const path of paths) {
    const content = readFileSync(path, 'latin1')
    bytes += content.length
    leaks.push(...secretsIn(content).map((secret) => `${path}: ${secret.slice(0, 12)}…`))
  }
  append('files', `${JSON.stringify({ bytes, leaks })}\n`)
}

/** Everything in a text that is a secret of any brand, by its shape and its checksum. */
export function secretsIn(text: string): readonly string[] {
  const shaped = text.match(/[a-z][a-z0-9]{1,3}_(?:live|test)_[0-9A-Za-z]{46}/g) ?? []
  return shaped.flatMap((found) => withoutNoise(found) ?? [])
}

/** What stands before the underscore may begin with letters that are not of the brand. */
function withoutNoise(found: string): string | null {
  const [word = ''] = found.split('_')
  for (let at = 0; at <= word.length - 2; at += 1) {
    const [brand, secret] = [word.slice(at), found.slice(at)]
    if (/^[a-z]/.test(brand) && looksLikeSecret(secret, brand)) return secret
  }
  return null
}

/** All files below a folder. */
export function filesIn(from: string): readonly string[] {
  return readdirSync(from, { recursive: true, encoding: 'utf8' })
    .map((name) => join(from, name))
    .filter((path) => statSync(path).isFile())
}

function append(kind: string, text: string): void {
  appendFileSync(`${folder}/${kind}-${process.pid}`, text)
}
