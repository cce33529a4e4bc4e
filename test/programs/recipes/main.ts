import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installLocked, installTarball } from '../../support/package/installed.ts'
import { packInto } from '../../support/package/npm.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { recipesIn } from './recipes.ts'

// `npm run recipes`: each recipe of docs/database-access.md, compiled, and run on a real PostgreSQL; with
// a word behind `--`, only those whose names contain it.
const SHELF = fileURLToPath(new URL('shelf/', import.meta.url))
const LIFE = fileURLToPath(new URL('life.js', import.meta.url))
const GUIDE = fileURLToPath(new URL('../../../docs/database-access.md', import.meta.url))

/** It talks to a server of its own maker alone: a test of the storage has a driver of its shape. */
const COMPILED_ONLY = new Set(['neon'])

const suite = join(SHELF, 'suite')
rmSync(suite, { recursive: true, force: true })
mkdirSync(suite)
console.error('building, packing, installing …')
installLocked(SHELF)
installTarball(SHELF, packInto(suite))
cpSync(LIFE, join(suite, 'life.js'))
const recipes = recipesIn(readFileSync(GUIDE, 'utf8'))
for (const { name, code } of recipes) writeFileSync(join(suite, `${name}.ts`), code)

run('tsc', [
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
try {
  for (const { name } of recipes.filter((recipe) => recipe.name.includes(process.argv[2] ?? ''))) {
    if (COMPILED_ONLY.has(name)) continue
    const url = server.url(await server.createDatabase())
    run('tsx', ['suite/life.js', `./${name}.ts`], { DATABASE_URL: url })
    console.log(`${name}: created, accepted, rotated, revoked, refused`)
  }
} finally {
  await server.dispose()
}

function run(
  command: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const options = { cwd: SHELF, encoding: 'utf8', env: { ...process.env, ...env } } as const
  const { status, stdout, stderr } = spawnSync(
    join(SHELF, 'node_modules/.bin', command),
    words,
    options,
  )
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}:\n${stdout}${stderr}`)
}
