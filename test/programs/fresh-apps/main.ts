import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BodyHabits, corners } from '../../support/package/corners.ts'
import { installNew } from '../../support/package/installed.ts'
import { packInto } from '../../support/package/npm.ts'
import { driveApp } from './drive-app.ts'
import { copyAs, type Format } from './formats.ts'
import { followGettingStarted, GETTING_STARTED_PACKAGES } from './getting-started.ts'
import { misconfigured } from './misconfigured.ts'
import { copySources, PROJECTS, type Project, runCommands } from './projects.ts'

// `npm run fresh-apps`: the packed package, installed as a user would, in an app of each kind, which is
// started with a storage that cannot work and then driven; with a word behind `--`, only in
// apps whose names contain it.
const SOURCES = fileURLToPath(new URL('.', import.meta.url))

/** An app and how it is started. */
interface App {
  /** The file of `SOURCES` that it is, without its ending. */
  readonly source: string
  /** What it installs beside miftah. */
  readonly packages: readonly string[]
  readonly words?: readonly string[]
  /** Default: ES modules. */
  readonly format?: Format
  /** Given where the corners of the framework are tried, too. */
  readonly habits?: BodyHabits
}

/** Node 20 has no driver of its own. */
const SQLITE = '@photostructure/sqlite@1.2.1'

const GUARD_FIRST = { parsesFirst: false }

const APPS: Readonly<Record<string, App>> = {
  // npm stops at a peer that conflicts, also of somebody who never imports that part.
  'the core beside Express 3, Fastify 3 and Hono 3': {
    source: 'next',
    packages: ['express@3.21.2', 'fastify@3.29.5', 'hono@3.12.12', 'pg@7.18.2'],
  },
  'express 4': { source: 'express', packages: ['express@4.22.3'], habits: GUARD_FIRST },
  'express 5': { source: 'express', packages: ['express@5.3.0'], habits: GUARD_FIRST },
  'express 5 in commonjs': { source: 'express', packages: ['express@5.3.0'], format: 'commonjs' },
  'fastify 5': { source: 'fastify', packages: ['fastify@5.12.8'] },
  'hono 4': hono('4.13.19', '2.1.8'),
  'hono 4.8': hono('4.8.0', '1.14.0'),
  'hono 4 in commonjs': { ...hono('4.13.19', '2.1.8'), format: 'commonjs' },
  'nestjs 10 on express': nest('10.4.22', 'express'),
  'nestjs 10 on fastify': nest('10.4.22', 'fastify'),
  'nestjs 11 on express': nest('11.1.0', 'express'),
  'nestjs 11 on fastify': nest('11.1.0', 'fastify'),
  'nestjs 12 on express': nest('12.5.0', 'express'),
  'nestjs 12 on fastify': nest('12.5.0', 'fastify'),
  next: { source: 'next', packages: [] },
}

function hono(version: string, server: string): App {
  const packages = [`hono@${version}`, `@hono/node-server@${server}`]
  return { source: 'hono', packages, habits: GUARD_FIRST }
}

function nest(version: string, platform: string): App {
  const own = ['common', 'core', `platform-${platform}`].map((name) => `@nestjs/${name}@${version}`)
  return {
    source: 'nestjs',
    packages: [...own, 'reflect-metadata@0.2.2', 'rxjs@7.8.2'],
    words: [platform],
    // NestJS parses bodies before its guards.
    habits: { parsesFirst: true },
  }
}

const folder = mkdtempSync(join(tmpdir(), 'miftah-apps-'))
let failed = false
try {
  console.error('building, packing …')
  const tarball = packInto(folder)
  for (const [name] of asked({ 'the page Getting started, on express 5': null })) {
    await report(name, 'installed, started', () => tryGettingStarted(tarball))
  }
  for (const [name, app] of asked(APPS)) {
    await report(name, 'installed, started, misconfigured', () => tryApp(app, tarball))
  }
  for (const [name, project] of asked(PROJECTS)) {
    await report(name, 'installed, misconfigured', () => tryProject(project, tarball))
  }
} finally {
  rmSync(folder, { recursive: true })
}
// The browser of the pages would keep this process alive.
process.exit(failed ? 1 : 0)

function asked<T>(all: Readonly<Record<string, T>>): readonly (readonly [string, T])[] {
  return Object.entries(all).filter(([name]) => name.includes(process.argv[2] ?? ''))
}

async function report(name: string, done: string, work: () => Promise<number>): Promise<void> {
  const checks = await work().catch((error: unknown) => {
    console.error(`  FAILED ${error}`)
    return null
  })
  console.log(`${name}: ${checks === null ? 'FAILED' : `${done}, ${checks} checks`}`)
  failed ||= checks === null
}

/** A folder of a new project with the package and others, installed as a user would. */
function installed(type: string, packages: readonly string[]): string {
  const home = mkdtempSync(join(folder, 'app-'))
  installNew(home, { private: true, type }, ...packages)
  return home
}

/** Follows the page and says how long a machine takes for it, installing included. */
async function tryGettingStarted(tarball: string): Promise<number> {
  const startedAt = performance.now()
  const home = installed('module', [tarball, ...GETTING_STARTED_PACKAGES])
  const checks = await followGettingStarted(home)
  const seconds = (performance.now() - startedAt) / 1_000
  console.log(`the first guarded 200 took ${seconds.toFixed(1)} s`)
  return checks
}

async function tryProject(project: Project, tarball: string): Promise<number> {
  const home = installed(project.type, [tarball, ...project.packages])
  copySources(project, home)
  return runCommands(project, home) + (await project.drive(home))
}

async function tryApp({ source, habits, ...app }: App, tarball: string): Promise<number> {
  const { packages, words = [], format = 'module' } = app
  const home = installed(format, [tarball, SQLITE, ...packages])
  copyAs(format, join(SOURCES, 'keys.js'), join(home, 'keys.js'))
  copyAs(format, join(SOURCES, `${source}.js`), join(home, 'app.js'))
  const command = ['app.js', ...words]
  const reported = await misconfigured(home, command)
  const more = async (port: number) => (habits === undefined ? 0 : corners(port, habits))
  return reported + (await driveApp(home, command, more))
}
