import { describe, expect, test } from 'vitest'
import { ENTRIES } from '../support/entries.ts'
import { filesIn, type Import, importsOf, read } from './sources.ts'

/** What the files of a room may import: of `values` all, of `types` only types. */
interface Rule {
  readonly room: string
  readonly values: readonly RegExp[]
  readonly types?: readonly RegExp[]
}

const CORE_ENTRY = /^src\/((events|http|redact|storage)\/)?index\.ts$/
const ANY_OF_NODE = /^node:/
/** What every class of errors uses, of whichever room. */
const OF_ERRORS = /^src\/model\/across-copies\.ts$/
/** What reads the options and objects of a host, and notifies it. */
const HELPERS = /^src\/lib\/(known-names|option-checks|own-data|property|tap|within-time)\.ts$/

const STORAGES = ['memory', 'sqlite', 'postgres', 'mysql']

/** What an adapter for a framework or a runtime imports beside the core and `lib`. */
const HOSTS: Readonly<Record<string, Omit<Rule, 'room'>>> = {
  express: { values: [], types: [/^express$/, ANY_OF_NODE] },
  fastify: { values: [], types: [/^fastify$/, ANY_OF_NODE] },
  hono: { values: [], types: [/^hono(\/|$)/] },
  // A parameter decorator of NestJS can only be made by NestJS.
  nestjs: { values: [/^@nestjs\/common$/], types: [ANY_OF_NODE] },
  fetch: { values: [] },
}

/** A folder of `lib` that is named after a framework is its adapter's own. */
const SHARED_HTTP = /^adapters\/(lib\/|http\/lib\/(?!(express|fastify|hono|nestjs|fetch)\/))/

/** The first rule that fits a file is its rule. */
const RULES: readonly Rule[] = [
  { room: 'src/secret/sha256-node.ts', values: [/^node:crypto$/] },
  { room: 'src/', values: [/^src\//, /^zod\/mini$/, /^@noble\/hashes\//, /^nanoid$/, /^#sha256$/] },
  ...STORAGES.flatMap((backend) =>
    [`adapters/storage/lib/${backend}/`, `adapters/storage/${backend}.ts`].map((room) => ({
      room,
      values: [
        CORE_ENTRY,
        new RegExp(`^adapters/storage/lib/(${backend}/|[^/]+$)`),
        // Asked for by name at run time, where the runtime has no SQLite of its own.
        ...(backend === 'sqlite' ? [/^@photostructure\/sqlite$/] : []),
        ...(backend === 'memory' ? [] : [/^adapters\/storage\/lib\/sql\//]),
      ],
    })),
  ),
  { room: 'adapters/storage/testing/', values: [CORE_ENTRY, /^adapters\/storage\/testing\//] },
  {
    room: 'adapters/storage/lib/sql/',
    values: [CORE_ENTRY, /^adapters\/storage\/lib\/(sql\/|[^/]+$)/],
  },
  // It copies between databases, and so knows the drivers of all.
  {
    room: 'adapters/storage/lib/copy/',
    values: [
      /^adapters\/storage\/lib\/(copy\/|[^/]+$)/,
      /^adapters\/storage\/lib\/(sqlite|postgres|mysql|sql)\//,
    ],
  },
  {
    room: 'adapters/storage/lib/',
    values: [CORE_ENTRY, HELPERS, OF_ERRORS, /^adapters\/storage\/lib\/([^/]+|sql\/cells\.ts)$/],
  },
  ...Object.entries(HOSTS).map(([host, { values, types = [] }]) => ({
    room: `adapters/http/${host}.ts`,
    values: [
      CORE_ENTRY,
      HELPERS,
      SHARED_HTTP,
      new RegExp(`^adapters/http/lib/${host}/`),
      ...values,
    ],
    types,
  })),
  // zod reads the bodies of the management routes.
  {
    room: 'adapters/http/lib/management/',
    values: [CORE_ENTRY, HELPERS, SHARED_HTTP, /^zod\/mini$/],
  },
  {
    room: 'adapters/http/lib/node/',
    values: [CORE_ENTRY, HELPERS, SHARED_HTTP],
    types: [ANY_OF_NODE],
  },
  { room: 'adapters/http/lib/', values: [CORE_ENTRY, HELPERS, SHARED_HTTP] },
  {
    room: 'adapters/client/',
    values: [/^src\/model\//, /^adapters\/client\//],
    types: [CORE_ENTRY, /^adapters\/http\/lib\/management\/wire\//],
  },
  { room: 'adapters/lib/', values: [CORE_ENTRY, HELPERS, /^adapters\/lib\//] },
  {
    room: 'adapters/cli/',
    values: [
      CORE_ENTRY,
      HELPERS,
      /^adapters\/(cli|lib)\//,
      /^adapters\/storage\/([^/]+|lib\/copy\/[^/]+)\.ts$/,
      /^node:(fs\/promises|path|url)$/,
      /^commander$/,
      // `serve` is a server of its own.
      /^adapters\/(http\/lib|otel)\//,
      /^node:(crypto|http)$/,
    ],
    types: [/^@opentelemetry\/api$/, /^node:net$/],
  },
  {
    room: 'adapters/otel/',
    values: [CORE_ENTRY, /^adapters\/otel\//],
    types: [/^@opentelemetry\/api$/],
  },
  { room: 'adapters/rate-limit/', values: [CORE_ENTRY, HELPERS, /^adapters\/rate-limit\//] },
  {
    room: 'adapters/react/',
    values: [/^adapters\/react\//, /^adapters\/ui\/(index|tab\/settings)\.ts$/, /^react$/],
  },
  // Run by the build, not part of the element.
  {
    room: 'adapters/ui/build/',
    values: [
      /^adapters\/ui\/(build\/|tab\/settings)/,
      ANY_OF_NODE,
      /^esbuild$/,
      /^@custom-elements-manifest\//,
    ],
    types: [/^typescript$/],
  },
  {
    room: 'adapters/ui/',
    // Pure rules: a page and the server agree on them.
    values: [/^adapters\/ui\/(?!build\/)/, /^adapters\/client\//, /^src\/model\//, /^lit(\/|$)/],
    types: [CORE_ENTRY],
  },
  {
    room: 'examples/',
    values: [
      /^examples\//,
      ANY_OF_NODE,
      /^(@hono\/node-server|@nestjs\/(common|core)|cloudflare:workers|express|fastify|hono|mysql2\/promise|rate-limiter-flexible)$/,
      /^(next(\/server)?|pg|react|reflect-metadata|@\/lib\/keys)$/,
      ...[...ENTRIES.keys()].map((name) => new RegExp(`^${name}$`)),
    ],
  },
]

function ruleOf(file: string): Rule | undefined {
  return RULES.find(({ room }) => file.startsWith(room))
}

function isAllowed({ file, target, typeOnly }: Import): boolean {
  const rule = ruleOf(file)
  if (rule === undefined) return false
  const patterns = typeOnly ? [...rule.values, ...(rule.types ?? [])] : rule.values
  return patterns.some((pattern) => pattern.test(target))
}

const show = ({ file, target, typeOnly }: Import) =>
  `${file} imports ${typeOnly ? 'types of ' : ''}${target}`

const FILES = ['src', 'adapters', 'examples'].flatMap((room) => filesIn(room, '.ts', '.tsx', '.js'))

const IMPORTS = FILES.flatMap((file) => importsOf(file))

describe('the rooms', () => {
  test('every file has a rule', () => {
    expect(FILES.filter((file) => ruleOf(file) === undefined)).toEqual([])
    expect(FILES.length).toBeGreaterThan(50)
  })

  test('no file imports what its room may not', () => {
    const strangers = IMPORTS.filter((found) => !isAllowed(found))
    expect(strangers.map(show)).toEqual([])
  })

  test.each([
    ['src/index.ts', "import { x } from '../adapters/storage/memory.ts'"],
    ['src/index.ts', "import { createHash } from 'node:crypto'"],
    ['src/index.ts', "import * as z from 'zod'"],
    ['adapters/storage/memory.ts', "import { x } from '../../src/secret/mint.ts'"],
    ['adapters/storage/memory.ts', "import { x } from './sqlite.ts'"],
    ['adapters/storage/postgres.ts', "import type { Pool } from 'pg'"],
    ['adapters/http/express.ts', "import type { FastifyReply } from 'fastify'"],
    ['adapters/http/express.ts', "import { requireKey } from './fetch.ts'"],
    ['adapters/http/express.ts', "import { exchangeOf } from './lib/nestjs/exchange.ts'"],
    ['adapters/http/lib/vary.ts', "export type Broken = import('hono').Context"],
    ['adapters/http/nestjs.ts', "import { NestFactory } from '@nestjs/core'"],
    ['adapters/http/express.ts', "export { memoryStorage } from '../storage/memory.ts'"],
    ['adapters/client/index.ts', "import { plans } from '../../src/index.ts'"],
    [
      'adapters/client/answers.ts',
      "import { PROBLEMS } from '../http/lib/management/wire/problems.ts'",
    ],
    ['adapters/client/answers.ts', "import type { Route } from '../http/lib/management/routes.ts'"],
    ['adapters/ui/index.ts', "import { plans } from '../../src/index.ts'"],
    ['adapters/ui/index.ts', "import { parseInput } from '../../src/keys/input/parse.ts'"],
    ['adapters/ui/index.ts', "const m = await import('../http/fetch.ts')"],
    ['adapters/react/index.ts', "import { ApiKeysTabElement } from '../ui/tab/element.ts'"],
    ['examples/host/main.ts', "import { plans } from '../../src/index.ts'"],
    ['examples/host/main.ts', "import { plans } from 'miftah/plans'"],
    ['somewhere/else.ts', "import 'zod/mini'"],
  ])('%s could not: %s', (file, text) => {
    expect(importsOf(file, text)).toHaveLength(1)
    expect(importsOf(file, text).filter(isAllowed)).toEqual([])
  })
})

test('a file in adapters/storage or adapters/http is an entry; the rest is in folders', () => {
  const rooms = ['adapters/storage', 'adapters/http']
  const files = rooms.flatMap((room) => filesIn(room, '.ts')).filter(isTopLevel)
  const entries = [...ENTRIES.values()].filter((source) =>
    /^adapters\/(storage|http)\//.test(source),
  )
  const suite = 'adapters/storage/testing/storage-contract.ts'
  expect(files.sort()).toEqual(entries.filter((source) => source !== suite).sort())
})

function isTopLevel(file: string): boolean {
  return file.split('/').length === 3
}

describe('the lock file', () => {
  const lock = read('package-lock.json')

  test('names no registry', () => {
    expect(lock).not.toMatch(/"resolved": "http/)
  })

  test('has a checksum for every package', () => {
    const { packages } = JSON.parse(lock) as {
      packages: Record<string, { integrity?: string; link?: boolean; inBundle?: boolean }>
    }
    const without = Object.entries(packages).filter(
      ([path, { integrity, link, inBundle }]) => path !== '' && !integrity && !link && !inBundle,
    )
    expect(without.map(([path]) => path)).toEqual([])
  })
})
