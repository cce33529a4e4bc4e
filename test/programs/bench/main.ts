import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { markdownTable } from '../../support/markdown-table.ts'
import { installLocked } from '../../support/package/installed.ts'
import { npm, ROOT } from '../../support/package/npm.ts'
import type { Section } from './measure.ts'

// npm run bench -- [--short] [section …]: prints what each section has found; docs/benchmarks.md tells it.

/** In this order, each in a process of its own. */
const SECTIONS: Readonly<Record<string, () => Promise<{ readonly section: Section }>>> = {
  memory: () => import('./memory.ts'),
  postgres: () => import('./postgres.ts'),
  mariadb: () => import('./mariadb.ts'),
  fleet: () => import('./fleet.ts'),
  bursts: () => import('./bursts.ts'),
  growth: () => import('./growth.ts'),
  http: () => import('./http.ts'),
  tab: () => import('./tab.ts'),
}

const { MIFTAH_BENCH: alone } = process.env
const short = process.argv.includes('--short')
if (alone === undefined) {
  const named = process.argv.slice(2).filter((word) => word !== '--short')
  const unknown = named.filter((name) => !(name in SECTIONS))
  if (unknown.length > 0) throw new Error(`There are ${Object.keys(SECTIONS).join(', ')}.`)
  installLocked(fileURLToPath(new URL('peers/', import.meta.url)))
  npm(ROOT, 'run', '--silent', 'build:js')
  for (const name of named.length > 0 ? named : Object.keys(SECTIONS)) runApart(name)
} else {
  await measureHere(alone)
  // Pools of a peer may still hold the process.
  process.exit(0)
}

/** One section in a process of its own, so that none inherits another's heap or compiled code. */
function runApart(name: string): void {
  const words = [...process.execArgv, '--expose-gc', ...process.argv.slice(1)]
  const env = { ...process.env, MIFTAH_BENCH: name }
  execFileSync(process.execPath, words, { cwd: ROOT, env, stdio: 'inherit' })
}

async function measureHere(name: string): Promise<void> {
  if (!import.meta.resolve('miftah').endsWith('/dist/index.js')) {
    throw new Error('miftah must be measured as it is published')
  }
  const module = await SECTIONS[name]?.()
  const tables = await module?.section({ short, log: (text) => console.error(`${name}: ${text}`) })
  for (const { title, head, rows } of tables ?? []) {
    console.log(`\n**${title}**\n\n${markdownTable(head, rows)}`)
  }
}
