import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openNeonProxy } from '../../support/neon-proxy.ts'
import { outputOf } from '../../support/package/child.ts'
import { installPacked } from '../../support/package/installed.ts'
import { ROOT } from '../../support/package/npm.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import * as mysql from '../reliability/mysql-module.ts'

// `npm run recipes`: compiles each recipe of docs/database-access.md and runs it on a real PostgreSQL, or on
// the MySQL of this machine. A word after `--` selects the recipes with that word in their names.
const SHELF = fileURLToPath(new URL('shelf', import.meta.url))

/** The house checks no fence of `typescript`, whose packages are not there. */
const FENCE = /^```typescript recipe=(\S+)\n([\s\S]*?)^```$/gm

const guide = readFileSync(join(ROOT, 'docs/database-access.md'), 'utf8')
const recipes = new Map([...guide.matchAll(FENCE)].map(([, name = '', code = '']) => [name, code]))

const suite = join(SHELF, 'suite')
rmSync(suite, { recursive: true, force: true })
mkdirSync(suite)
console.error('building, packing, installing …')
installPacked(SHELF)
for (const file of [new URL('life.js', import.meta.url), new URL('neon.js', import.meta.url)])
  cpSync(file, join(suite, basename(file.pathname)))
for (const [name, code] of recipes) writeFileSync(join(suite, `${name}.ts`), code)

const run = ([tool = '', ...words]: readonly string[], env?: NodeJS.ProcessEnv) =>
  outputOf([join(SHELF, 'node_modules/.bin', tool), ...words], SHELF, env)

const compile = 'tsc --noEmit --ignoreConfig --strict --skipLibCheck --types node'
const target = '--module nodenext --target es2023'
const files = [...recipes.keys()].map((name) => `suite/${name}.ts`)
await run([...`${compile} ${target}`.split(' '), ...files])
console.log(`compiled: ${recipes.size} recipes`)

const server = await startPostgres()
const neon = await openNeonProxy(server.host, server.port)
// Neon's Pool needs WebSocket; later versions of Node have it without a word.
const shared = { NEON_PROXY: neon.host, NODE_OPTIONS: '--experimental-websocket' }
try {
  for (const name of recipes.keys()) {
    if (!name.includes(process.argv[2] ?? '')) continue
    const place = name.endsWith('-mysql') ? await mysql.createPlace() : null
    const url = place?.target ?? server.url(await server.createDatabase())
    const life = run(['tsx', 'suite/life.js', `./${name}.ts`], { ...shared, DATABASE_URL: url })
    await life.finally(() => place?.remove())
    console.log(`${name}: created, accepted, rotated, revoked, refused`)
  }
} finally {
  await neon.close()
  await server.dispose()
  // The budgets of the house count what lies about.
  rmSync(suite, { recursive: true })
}
