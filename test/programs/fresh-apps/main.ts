import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { outputOf, startServer } from '../../support/package/child.ts'
import { type BodyHabits, corners } from '../../support/package/corners.ts'
import { installNew } from '../../support/package/installed.ts'
import { packInto, ROOT } from '../../support/package/npm.ts'
import { walk } from '../../support/package/walk.ts'
import { driveJest, drivePassport, followGettingStarted } from './guides.ts'
import { createdInTab, driveNext } from './pages.ts'
import { driveWorker } from './worker.ts'

// `npm run fresh-apps`: the packed package, installed as a user would, in a new app of each kind, which is
// then driven; with a word behind `--`, only in apps whose names contain it.

/** An app of this folder, or of `examples`. */
interface App {
  /** The file or folder that it is. */
  readonly source?: string
  /** What it installs beside miftah. */
  readonly packages: readonly string[]
  /** Commands of what it has installed; each must end with 0. */
  readonly commands?: readonly (readonly string[])[]
  /** Answers how many things were checked. */
  readonly drive: (home: string) => Promise<number>
}

/** Node 20 has no driver of its own. */
const SQLITE = '@photostructure/sqlite@1.2.1'

/** A server that prints its port: the way of a key, and the corners of the framework. */
function server(
  name: string,
  packages: readonly string[],
  { words = [], parsesFirst = false }: Partial<BodyHabits & { words: readonly string[] }> = {},
): App {
  const source = `${name}.js`
  const drive = (home: string) =>
    served(home, [source, ...words], async (port) => {
      return (await walk(port)) + (await corners(port, { parsesFirst }))
    })
  return { source, packages: [SQLITE, ...packages], drive }
}

function nest(version: string, platform: string): App {
  const own = ['common', 'core', `platform-${platform}`].map((name) => `@nestjs/${name}@${version}`)
  const packages = [...own, 'reflect-metadata@0.2.2', 'rxjs@7.8.2']
  // NestJS parses bodies before its guards.
  return server('nestjs', packages, { words: [platform], parsesFirst: true })
}

/** A page of Vite in one framework, with the tab in Chromium, beside a server of Express. */
function vite(framework: string, packages: readonly string[]): App {
  return {
    source: 'vite',
    packages: ['vite@7', 'express@5.3.0', SQLITE, ...packages],
    commands: [['vite', 'build', framework]],
    drive: (home) =>
      served(home, ['app.js'], async (port) => {
        return (await createdInTab(`http://127.0.0.1:${port}/`, 'ar')) + (await walk(port))
      }),
  }
}

const VITE_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>API keys</title></head>
<body><div id="app"></div><script type="module" src="/main.jsx"></script></body></html>`

/** An example of `examples`, with all that it asks for. */
function example(name: string, how: Omit<App, 'packages' | 'source'>): App {
  const source = join(ROOT, 'examples', name)
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
  return { source, packages: [...all.map(([one, range]) => `${one}@${range}`), SQLITE], ...how }
}

const hono = (version: string, node: string) =>
  server('hono', [`hono@${version}`, `@hono/node-server@${node}`])

const APPS: Readonly<Record<string, App>> = {
  'the page Getting started, on express 5': {
    packages: ['express@5.3.0', SQLITE, 'tsx@4.23.15'],
    drive: followGettingStarted,
  },
  // npm stops at a peer that conflicts, also of somebody who never imports that part.
  'the core beside Express 3, Fastify 3 and Hono 3': {
    packages: ['express@3.21.2', 'fastify@3.29.5', 'hono@3.12.12', 'pg@7.18.2'],
    drive: (home) => runAll(home, [[process.execPath, '-e', "import('miftah/memory')"]]),
  },
  'express 4': server('express', ['express@4.22.3']),
  'express 5': server('express', ['express@5.3.0']),
  'hono 4': hono('4.13.19', '2.1.8'),
  'hono 4.8': hono('4.8.0', '1.14.0'),
  'nestjs 10 on express': nest('10.4.22', 'express'),
  'nestjs 11 on fastify': nest('11.1.0', 'fastify'),
  'nestjs 12 on express': nest('12.5.0', 'express'),
  'nestjs 12 on fastify': nest('12.5.0', 'fastify'),
  jest: {
    source: 'keys.test.js',
    packages: ['jest@30', '@swc/core@1', '@swc/jest@0.2', 'express@5.3.0', 'hono@4.13.19', SQLITE],
    drive: driveJest,
  },
  'vite with react': vite('react', ['react@19', 'react-dom@19', '@vitejs/plugin-react@5']),
  'vite with react 18': vite('react', ['react@18', 'react-dom@18', '@vitejs/plugin-react@5']),
  'vite with vue': vite('vue', ['vue@3', '@vitejs/plugin-vue@6']),
  'vite with svelte': vite('svelte', ['svelte@5', '@sveltejs/vite-plugin-svelte@6']),
  'the example apps': example('apps', {
    commands: [['tsc']],
    drive: async (home) => {
      let checks = 0
      for (const name of ['express', 'fastify', 'hono', 'nestjs']) {
        checks += await served(home, ['--import', 'tsx', `${name}.ts`], walk)
      }
      return checks
    },
  }),
  'the example of workers': example('worker', { drive: driveWorker }),
  'the example of next 16': example('nextjs', { commands: [['next', 'build']], drive: driveNext }),
  passport: {
    source: 'passport.js',
    packages: ['passport@0.7', 'passport-headerapikey@1.2', 'express@5.3.0'],
    drive: drivePassport,
  },
}

const folder = mkdtempSync(join(tmpdir(), 'miftah-apps-'))
let failed = false
try {
  console.error('building, packing …')
  const tarball = packInto(folder)
  for (const [name, app] of Object.entries(APPS)) {
    if (!name.includes(process.argv[2] ?? '')) continue
    const told = await tryApp(app, tarball).catch((error: unknown) => {
      failed = true
      return `FAILED ${error}`
    })
    console.log(`${name}: ${told}`)
  }
} finally {
  rmSync(folder, { recursive: true })
}
// The browser of the pages would keep this process alive.
process.exit(failed ? 1 : 0)

async function tryApp({ source, packages, commands = [], drive }: App, tarball: string) {
  const begun = performance.now()
  const home = mkdtempSync(join(folder, 'app-'))
  if (source !== undefined) copyInto(home, source)
  installNew(home, { private: true, type: 'module' }, tarball, ...packages)
  const checks = (await runAll(home, commands)) + (await drive(home))
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
  return `installed, started, ${checks} checks in ${seconds} s`
}

/** A file under its name or what is in a folder, and the keys that every app begins with. */
function copyInto(home: string, source: string): void {
  const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const from = existsSync(source) ? source : here(source)
  cpSync(from, source.endsWith('.js') ? join(home, source) : home, { recursive: true })
  cpSync(here('keys.js'), join(home, 'keys.js'))
  if (source !== 'vite') return
  const page = join(ROOT, 'examples/react-settings/settings-page.tsx')
  cpSync(page, join(home, 'react/settings-page.tsx'))
  for (const framework of ['react', 'vue', 'svelte']) {
    writeFileSync(join(home, framework, 'index.html'), VITE_PAGE)
  }
}

async function runAll(home: string, commands: readonly (readonly string[])[]): Promise<number> {
  for (const [name = '', ...words] of commands) {
    await outputOf(
      [name.includes('/') ? name : join(home, 'node_modules/.bin', name), ...words],
      home,
    )
  }
  return commands.length
}

async function served(
  home: string,
  words: readonly string[],
  drive: (port: number) => Promise<number>,
): Promise<number> {
  const running = await startServer([process.execPath, ...words], home, { env: { PORT: '0' } })
  return drive(running.port).finally(() => running.stop())
}
