import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { driveApp } from './drive-app.ts'
import { copyAs, type Format } from './formats.ts'
import { driveJest } from './jest.ts'
import { driveNext } from './nextjs.ts'
import { drivePassport } from './passport.ts'
import { driveVite } from './vite.ts'
import { driveWorker } from './worker.ts'

/** A project whose own commands say whether it works. */
export interface Project {
  /** The folder beside this file that it is. */
  readonly source: string
  /** The `type` of its package. */
  readonly type: Format
  readonly packages: readonly string[]
  /** Each must end with 0. */
  readonly commands: readonly (readonly string[])[]
  /** Drives what the commands have built and returns how many things it checked. */
  readonly drive: (home: string) => Promise<number>
}

const TSC = ['tsc', '--noEmit', '--strict', '--target', 'es2023', '--types', 'node']

const REACT_EXAMPLE = fileURLToPath(
  new URL('../../../examples/react-settings/settings-page.tsx', import.meta.url),
)

/** Node 20 has no driver of its own. */
const SQLITE = '@photostructure/sqlite@1.2.1'

const VITE = ['vite@7', 'express@5.3.0', SQLITE]

/** A page of Vite in one framework, beside a server of Express. */
function vite(framework: string, packages: readonly string[]): Project {
  return {
    source: 'vite',
    type: 'module',
    packages: [...VITE, ...packages],
    commands: [['vite', 'build', framework]],
    drive: driveVite,
  }
}

/** Tests of Jest, in one format. */
function jest(type: Format): Project {
  return {
    source: 'jest',
    type,
    packages: [
      ...['jest@30', 'express@5.3.0', 'hono@4.13.19', 'pg@8.23.1', SQLITE],
      ...['typescript@5.9.3', '@types/node@20', '@types/express@5'],
      ...['@swc/core@1', '@swc/jest@0.2'],
    ],
    commands: [],
    drive: (home) => driveJest(home, type),
  }
}

/** An example, with what its own manifest names. */
function example(name: string, how: Pick<Project, 'commands' | 'drive'>): Project {
  const source = `../../../examples/${name}`
  const manifest = new URL(`${source}/package.json`, import.meta.url)
  const { dependencies, devDependencies } = JSON.parse(readFileSync(manifest, 'utf8'))
  const all = Object.entries({ ...dependencies, ...devDependencies })
  const packages = all.map(([dependency, range]) => `${dependency}@${range}`)
  return { source, type: 'module', packages: [...packages, SQLITE], ...how }
}

/** Each app of `examples/apps`, in two processes. */
async function driveApps(home: string): Promise<number> {
  let checks = 0
  for (const name of ['express', 'fastify', 'hono', 'nestjs']) {
    checks += await driveApp(home, ['--import', 'tsx', `${name}.ts`], async () => 0)
  }
  return checks
}

/** Every project by its name. */
export const PROJECTS: Readonly<Record<string, Project>> = {
  'jest in commonjs': {
    ...jest('commonjs'),
    commands: [
      // Its default resolution is node10, which reads typesVersions.
      [...TSC, '--module', 'commonjs', '--esModuleInterop', 'use.ts'],
      [...TSC, '--module', 'nodenext', 'use.ts'],
    ],
  },
  'jest in es modules': jest('module'),
  'vite with react': vite('react', ['react@19', 'react-dom@19', '@vitejs/plugin-react@5']),
  'vite with react 18': vite('react', ['react@18', 'react-dom@18', '@vitejs/plugin-react@5']),
  'vite with vue': vite('vue', ['vue@3', '@vitejs/plugin-vue@6']),
  'vite with svelte': vite('svelte', ['svelte@5', '@sveltejs/vite-plugin-svelte@6']),
  'the example apps': example('apps', { commands: [['tsc']], drive: driveApps }),
  'the example of workers': example('worker', { commands: [], drive: driveWorker }),
  'the example of next 16': example('nextjs', { commands: [['next', 'build']], drive: driveNext }),
  passport: {
    source: 'passport',
    type: 'module',
    packages: ['passport@0.7', 'passport-headerapikey@1.2', 'express@5.3.0'],
    commands: [],
    drive: drivePassport,
  },
}

/** Copies the sources of a project into its folder, with the keys that every app begins with. */
export function copySources({ source, type }: Project, home: string): void {
  const folder = fileURLToPath(new URL(`${source}/`, import.meta.url))
  cpSync(folder, home, { recursive: true })
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'))
  for (const name of scripts) copyAs(type, join(folder, name), join(home, name))
  copyAs(type, fileURLToPath(new URL('keys.js', import.meta.url)), join(home, 'keys.js'))
  if (source === 'vite') cpSync(REACT_EXAMPLE, join(home, 'react/settings-page.tsx'))
}

/** Runs the commands of an installed project and answers how many there were. */
export function runCommands({ commands }: Project, home: string): number {
  for (const [name = '', ...words] of commands) {
    const command = join(home, 'node_modules/.bin', name)
    const { status, stdout, stderr } = spawnSync(command, words, { cwd: home, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${name} ${words.join(' ')} failed:\n${stdout}${stderr}`)
  }
  return commands.length
}
