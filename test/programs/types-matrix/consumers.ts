import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ENTRIES } from '../../support/entries.ts'

/** A program that imports entries of the package, and what its tsconfig gives it. */
interface Consumer {
  readonly name: string
  readonly lib: readonly string[]
  readonly types: readonly string[]
  readonly entries: readonly string[]
}

/** Entries whose own types, or those of their framework, name the DOM. */
const NEEDS_DOM = ['/hono', '/nestjs', '/react', '/settings-tab']

/** Entries whose types name what only Node has. */
const NEEDS_NODE = ['/express', '/fastify', '/hono', '/nestjs']

const ALL = [...ENTRIES.keys()].map((name) => name.replace('miftah', ''))

/** Every kind of program that the entries are for; together they import every entry. */
export const CONSUMERS: readonly Consumer[] = [
  {
    name: 'a server without the DOM',
    lib: ['ES2023'],
    types: ['node'],
    entries: ALL.filter((path) => !NEEDS_DOM.includes(path)),
  },
  {
    name: 'a server of Hono or NestJS',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: ['node'],
    entries: NEEDS_DOM.filter((path) => NEEDS_NODE.includes(path)),
  },
  {
    name: 'a page or a worker without Node',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: [],
    entries: ALL.filter((path) => !NEEDS_NODE.includes(path)),
  },
]

/** How a program is compiled: the ending of its file says which kind of module it is. */
export const RESOLUTIONS = [
  { module: 'nodenext', file: 'program.mts' },
  { module: 'nodenext', file: 'program.cts' },
  { module: 'node20', file: 'program.mts' },
  { module: 'node20', file: 'program.cts' },
  { module: 'esnext', moduleResolution: 'bundler', file: 'program.mts' },
  { module: 'esnext', moduleResolution: 'bundler', file: 'program.cts' },
  { module: 'node16', file: 'program.mts' },
] as const satisfies readonly Resolution[]

interface Resolution {
  readonly module: string
  readonly moduleResolution?: string
  readonly file: 'program.mts' | 'program.cts'
}

/** A program that takes each entry whole, and uses the core as a host would. */
function programFor({ entries }: Consumer): string {
  const imports = entries.map((path, at) => `import * as entry${at} from 'miftah${path}'`)
  const names = entries.map((_, at) => `entry${at}`)
  return `${imports.join('\n')}\nexport const all = [${names.join(', ')}]\n${USE}`
}

const USE = `
import { type ApiKeys, createApiKeys, plans, type AuthenticatedKey, type DefaultScope } from 'miftah'
import { memoryStorage } from 'miftah/memory'

export async function use(): Promise<AuthenticatedKey<DefaultScope> | null> {
  const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
  // @ts-expect-error a misspelt scope
  await keys.authenticate(null, 'contacts.raed')
  const auth = await keys.authenticate('Bearer x', 'contacts.read')
  return auth.ok ? auth.key : null
}

// Its declarations spell out what each operation answers, whether or not the answer has a name.
export async function answers(keys: ApiKeys) {
  const workspaceId = 'ws_1'
  const actor = { id: 'u_1', name: 'Noura' }
  const fields = { name: 'CRM', environment: 'live', scopes: ['contacts.read'] } as const
  return {
    created: await keys.createKey({ workspaceId, creator: actor, ...fields }),
    rotated: await keys.rotateKey({ workspaceId, id: 'key_1', actor }),
    revoked: await keys.revokeKeys({ workspaceId, actor, ids: ['key_1'] }),
    removed: await keys.removeResource({ workspaceId, actor, resource: { project: 'p_1' } }),
    imported: await keys.importKeys([], { actor }),
    listed: await keys.listKeys({ workspaceId }),
    events: await keys.listEvents({ workspaceId }),
    purged: await keys.purge({ endedBefore: new Date() }),
    stats: keys.stats(),
  }
}
`

/** The tsconfig of a program: strict, and declaration files are checked like all others. */
function tsconfigFor({ lib, types }: Consumer, { file, ...resolution }: Resolution): string {
  const compilerOptions = {
    ...resolution,
    target: 'es2022',
    lib,
    types,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: 'out',
  }
  return JSON.stringify({ compilerOptions, files: [file] }, null, 2)
}

/** A compiler, the `tsc` of some version, and a program for it. */
interface Trial {
  readonly compiler: string
  readonly consumer: Consumer
  readonly resolution: Resolution
}

/** Checks a program in a folder from which `miftah` is found; answers the errors, a line each. */
export function typeErrors(folder: string, { compiler, consumer, resolution }: Trial) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, resolution.file), programFor(consumer))
  writeFileSync(join(folder, 'tsconfig.json'), tsconfigFor(consumer, resolution))
  const words = [compiler, '-p', '.']
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0 && stdout === '') throw new Error(stderr)
  return stdout.split('\n').filter((line) => line !== '')
}
