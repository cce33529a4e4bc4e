import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openNeonProxy } from '../../support/neon-proxy.ts'
import { installPacked } from '../../support/package/installed.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import * as mysql from '../reliability/mysql-module.ts'
import { recipesIn } from './recipes.ts'

// `npm run recipes`: compiles each recipe of docs/database-access.md and runs it on a real PostgreSQL, or on
// the MySQL of this machine. A word after `--` selects the recipes with that word in their names.
const SHELF = fileURLToPath(new URL('shelf/', import.meta.url))
const LIFE = fileURLToPath(new URL('life.js', import.meta.url))
const NEON = fileURLToPath(new URL('neon.js', import.meta.url))
const GUIDE = fileURLToPath(new URL('../../../docs/database-access.md', import.meta.url))

/** Neon's Pool needs it; later versions of Node have it without a word. */
const WITH_WEBSOCKET = '--experimental-websocket'

const suite = join(SHELF, 'suite')
rmSync(suite, { recursive: true, force: true })
mkdirSync(suite)
console.error('building, packing, installing …')
installPacked(SHELF)
for (const file of [LIFE, NEON]) cpSync(file, join(suite, basename(file)))
const recipes = recipesIn(readFileSync(GUIDE, 'utf8'))
for (const { name, code } of recipes) writeFileSync(join(suite, `${name}.ts`), code)

await run('tsc', [
  ...[
    '--noEmit',
    '--ignoreConfig',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2023',
  ],
  ...['--types', 'node', ...recipes.map(({ name }) => `suite/${name}.ts`)],
])
console.log(`compiled: ${recipes.length} recipes`)

const server = await startPostgres()
const neon = await openNeonProxy(server.host, server.port)
try {
  for (const { name } of recipes.filter((recipe) => recipe.name.includes(process.argv[2] ?? ''))) {
    const place = name.endsWith('-mysql') ? await mysql.createPlace() : null
    const url = place?.target ?? server.url(await server.createDatabase())
    const env = { DATABASE_URL: url, NEON_PROXY: neon.host, NODE_OPTIONS: WITH_WEBSOCKET }
    await run('tsx', ['suite/life.js', `./${name}.ts`], env).finally(() => place?.remove())
    console.log(`${name}: created, accepted, rotated, revoked, refused`)
  }
} finally {
  await neon.close()
  await server.dispose()
}

async function run(command: string, words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const options = { cwd: SHELF, env: { ...process.env, ...env } }
  await promisify(execFile)(join(SHELF, 'node_modules/.bin', command), words, options).catch(
    ({ stdout, stderr }) => {
      throw new Error(`${command} ${words.join(' ')}:\n${stdout}${stderr}`)
    },
  )
}
