import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { secretsIn } from '../../support/canary/keep.ts'
import { type Kept, keptIn } from './kept.ts'
import { hashOf, type Place, Search } from './search.ts'

/*
 * `npm run canary`: the whole test run, in which every process writes down the secrets that it
 * hashes, what it prints and what it answers, and every database that a test leaves behind is kept.
 * All of it is then searched for every secret and every hash. Arguments go to vitest.
 */

const folder = await mkdtemp(join(tmpdir(), 'miftah-canary-'))
const record = new URL('record.js', import.meta.url).href
// Databases are read through before they go, within the time limits of their tests and hooks.
const patience = ['--testTimeout=600000', '--hookTimeout=600000']
const words = ['vitest', 'run', '--reporter=verbose', ...patience, ...process.argv.slice(2)]
const child = spawn('npx', words, {
  env: { ...process.env, MIFTAH_CANARY: folder, NODE_OPTIONS: `--import=${record}` },
  stdio: ['ignore', 'pipe', 'pipe'],
})
let printed = ''
for (const stream of [child.stdout, child.stderr]) {
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk
    process.stdout.write(chunk)
  })
}
const [code] = await once(child, 'close')
const kept = keptIn(folder)
await rm(folder, { recursive: true })

const search = searchFor(kept)
const places: Readonly<Record<string, readonly Place[]>> = {
  'printed by tests': [{ name: 'the test run', content: printed }],
  'printed by processes': kept.output,
  'HTTP answers': kept.answers,
  'database tables': kept.tables,
  "PostgreSQL's logs": kept.logs,
}
const leaks = kept.files.flatMap((files) => files.leaks)
console.log(`canary: ${kept.secrets.length} secrets, ${kept.hashes.length} hashes in databases`)
for (const [kind, found] of Object.entries(places)) {
  leaks.push(...found.flatMap(leaksIn))
  const characters = found.reduce((sum, { content }) => sum + content.length, 0)
  console.log(`canary: ${kind}: ${found.length} places, ${characters} characters`)
}
const bytes = kept.files.reduce((sum, files) => sum + files.bytes, 0)
console.log(`canary: database files: ${kept.files.length} folders, ${bytes} bytes`)
for (const leak of new Set(leaks)) console.error(`LEAK ${leak}`)
const missed = missedPlants()
console.log(`canary: ${leaks.length} leaks, ${missed.length} planted ones missed ${missed}`)
process.exitCode = code === 0 && leaks.length === 0 && missed.length === 0 ? 0 : 1

function searchFor({ secrets, hashes }: Kept): Search {
  const search = new Search()
  for (const secret of secrets) search.addSecret(secret)
  for (const secret of secrets) search.addHash(hashOf(secret), `${secret.slice(0, 12)}…`)
  for (const hash of hashes) search.addHash(Buffer.from(hash, 'hex'), `${hash.slice(0, 8)}…`)
  return search
}

function leaksIn(place: Place): string[] {
  const shaped = secretsIn(String(place.content))
  const others = shaped.map((found) => `${place.name}: ${found.slice(0, 12)}… by its shape`)
  return [...search.leaksIn(place), ...others]
}

/** A search that finds nothing whatever it is given would be happy for ever. */
function missedPlants(): string[] {
  const [secret = ''] = kept.secrets
  const plants = [secret, hashOf(secret).toString('hex'), kept.hashes.at(-1) ?? '']
  const all = Object.entries(places).flatMap(([kind, [first]]) =>
    plants.map((plant) => ({ kind, content: `${first?.content}\n${plant}`, first })),
  )
  const missed = all.filter(
    ({ kind, content, first }) =>
      first === undefined ||
      search.leaksIn({ name: kind, content }).length <= search.leaksIn(first).length,
  )
  return [...new Set(missed.map(({ kind }) => kind))]
}
