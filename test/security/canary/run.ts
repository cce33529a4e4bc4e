import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { looksLikeSecret, secretPattern } from '../../../src/index.ts'
import { leaksIn } from './search.ts'

/*
 * `npm run canary`: the whole test run with all its output kept, which is then searched for every
 * secret and every hash that a test has issued, and for anything of the shape and with the checksum
 * of a secret, such as those that processes of their own have issued. Arguments go to vitest.
 */

const folder = await mkdtemp(join(tmpdir(), 'miftah-canary-'))
const file = join(folder, 'secrets')
await writeFile(file, '')

const child = spawn('npx', ['vitest', 'run', '--reporter=verbose', ...process.argv.slice(2)], {
  env: { ...process.env, MIFTAH_CANARY: file },
  stdio: ['ignore', 'pipe', 'pipe'],
})
let output = ''
for (const stream of [child.stdout, child.stderr]) {
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    process.stdout.write(chunk)
  })
}
const [code] = await once(child, 'close')
const issued = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
await rm(folder, { recursive: true })

const leaks = search(output)
// A search that finds nothing whatever it is given would be happy for ever.
const [planted = ''] = issued
const sings = search(`${output}\n${planted}`).length > leaks.length
for (const leak of leaks) console.error(`LEAK ${leak}`)
console.log(
  `canary: ${issued.length} secrets issued, ${output.length} characters printed, ` +
    `${leaks.length} leaks, a planted one ${sings ? 'found' : 'NOT FOUND'}`,
)
process.exitCode = code === 0 && leaks.length === 0 && sings ? 0 : 1

function search(text: string): string[] {
  const shaped = (text.match(secretPattern()) ?? []).filter((found) => looksLikeSecret(found))
  const others = shaped.map((found) => `output: ${found.slice(0, 12)}… by its shape`)
  return [...leaksIn([{ name: 'output', content: text }], issued), ...new Set(others)]
}
