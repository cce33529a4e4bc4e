import { describe, expect, test } from 'vitest'
import { ENTRIES } from '../support/entries.ts'
import { filesIn, type Import, importsOf, read } from './sources.ts'

/** What the files of a room may import: of `values` all, of `types` only types. */
type Rule = readonly [room: string, values: string, types?: string | undefined]

const CORE = 'src/index.ts src/{events,http,redact,storage}/index.ts'

/** Reads the options and objects of a host and notifies it; and what every class of errors uses. */
const HELPERS =
  'src/lib/{known-names,option-checks,own-data,property,tap,within-time}.ts src/model/across-copies.ts'

const STORAGES = ['memory', 'sqlite', 'postgres', 'mysql']

/** What a host imports beside the core, `lib` and its own folder of `lib`. */
const HOSTS: readonly Rule[] = [
  ['express', '', 'express node:**'],
  ['fastify', '', 'fastify node:**'],
  ['hono', '', 'hono hono/**'],
  // A parameter decorator of NestJS can only be made by NestJS.
  ['nestjs', '@nestjs/common', 'node:**'],
  ['fetch', ''],
]

const HTTP = `${CORE} ${HELPERS} adapters/lib/** adapters/http/lib/*.ts adapters/http/lib/{endpoints,faults,management,node}/**`

/** The first rule that fits a file is its rule. */
const RULES: readonly Rule[] = [
  ['src/secret/sha256-node.ts', 'node:crypto'],
  ['src/', 'src/** zod/mini @noble/hashes/* nanoid #sha256'],
  ...STORAGES.flatMap((name): Rule[] => {
    const values = `${CORE} adapters/storage/lib/*.ts adapters/storage/lib/{${name},sql}/**`
    // Asked for by name at run time, where the runtime has no SQLite of its own.
    const rule = `${values} @noble/hashes/* ${name === 'sqlite' ? '@photostructure/sqlite' : ''}`
    return [
      [`adapters/storage/${name}.ts`, rule],
      [`adapters/storage/lib/${name}/`, rule],
    ]
  }),
  ['adapters/storage/testing/', `${CORE} adapters/storage/testing/**`],
  ['adapters/storage/lib/copy/', 'adapters/storage/lib/**'],
  [
    'adapters/storage/lib/',
    `${CORE} ${HELPERS} adapters/storage/lib/*.ts adapters/storage/lib/sql/* @noble/hashes/utils.js`,
  ],
  ...HOSTS.map(([host, values, types]): Rule => {
    return [`adapters/http/${host}.ts`, `${HTTP} adapters/http/lib/${host}/* ${values}`, types]
  }),
  ['adapters/http/lib/management/', `${HTTP} zod/mini`],
  ['adapters/http/lib/node/', HTTP, 'node:**'],
  ['adapters/http/lib/', HTTP],
  [
    'adapters/client/',
    'src/model/* adapters/client/*',
    `${CORE} adapters/http/lib/management/wire/*`,
  ],
  ['adapters/lib/', `${CORE} ${HELPERS} adapters/lib/**`],
  [
    'adapters/cli/',
    `${CORE} ${HELPERS} adapters/{cli,lib,http/lib}/** adapters/storage/*.ts adapters/storage/lib/copy/* commander node:{crypto,events,fs/promises,http,path,url}`,
    'node:net',
  ],
  ['adapters/otel/', `${CORE} adapters/otel/*`, '@opentelemetry/api'],
  ['adapters/rate-limit/', `${CORE} ${HELPERS}`],
  ['adapters/react/', 'adapters/react/* adapters/ui/index.ts adapters/ui/tab/settings.ts react'],
  // Run by the build, not part of the element.
  [
    'adapters/ui/build/',
    'adapters/ui/build/* adapters/ui/tab/settings* node:** esbuild',
    'typescript',
  ],
  // Pure rules: a page and the server agree on them.
  ['adapters/ui/', 'adapters/ui/** adapters/client/* src/model/* lit lit/**', CORE],
  [
    'examples/',
    `examples/** @/lib/keys node:** ${[...ENTRIES.keys()].join(' ')} @hono/node-server @nestjs/{common,core} cloudflare:workers express fastify hono mysql2/promise next next/server pg rate-limiter-flexible react reflect-metadata`,
  ],
]

/** Globs with `*`, `**` and `{a,b}`, separated by spaces. */
function fits(globs: string, target: string): boolean {
  return globs.split(' ').some((glob) => {
    const source = glob
      .replaceAll('.', '\\.')
      .replaceAll(/\{(.*?)\}/g, (_, words: string) => `(${words.replaceAll(',', '|')})`)
      .replaceAll(/\*+/g, (stars) => (stars === '*' ? '[^/]*' : '.*'))
    return new RegExp(`^${source}$`).test(target)
  })
}

const ruleOf = (file: string) => RULES.find(([room]) => file.startsWith(room))

function isAllowed({ file, target, typeOnly }: Import): boolean {
  const [, values, types = ''] = ruleOf(file) ?? []
  return values !== undefined && fits(typeOnly ? `${values} ${types}` : values, target)
}

const FILES = ['src', 'adapters', 'examples'].flatMap((room) => filesIn(room, '.ts', '.tsx', '.js'))

describe('the rooms', () => {
  test('every file has a rule', () => {
    expect(FILES.filter((file) => ruleOf(file) === undefined)).toEqual([])
    expect(FILES.length).toBeGreaterThan(50)
  })

  test('no file imports what its room may not', () => {
    const strangers = FILES.flatMap((file) => importsOf(file)).filter((found) => !isAllowed(found))
    const show = ({ file, target, typeOnly }: Import) =>
      `${file} imports ${typeOnly ? 'types of ' : ''}${target}`
    expect(strangers.map(show)).toEqual([])
  })

  test.each([
    ['src/index.ts', "import { x } from '../adapters/storage/memory.ts'"],
    ['src/index.ts', "import * as z from 'zod'"],
    ['adapters/storage/memory.ts', "import { x } from './sqlite.ts'"],
    ['adapters/storage/postgres.ts', "import type { Pool } from 'pg'"],
    ['adapters/http/express.ts', "import { exchangeOf } from './lib/nestjs/exchange.ts'"],
    ['adapters/http/lib/headers.ts', "export type Broken = import('hono').Context"],
    ['adapters/http/express.ts', "export { memoryStorage } from '../storage/memory.ts'"],
    ['adapters/client/index.ts', "import { plans } from '../../src/index.ts'"],
    ['adapters/ui/index.ts', "const m = await import('../http/fetch.ts')"],
    ['examples/host/main.ts', "import { plans } from '../../src/index.ts'"],
  ])('%s could not: %s', (file, text) => {
    expect(importsOf(file, text)).toHaveLength(1)
    expect(importsOf(file, text).filter(isAllowed)).toEqual([])
  })
})

test('a file in adapters/storage or adapters/http is an entry; the rest is in folders', () => {
  const inRoom = (file: string) => /^adapters\/(storage|http)\/[^/]+$/.test(file)
  expect(FILES.filter(inRoom)).toEqual([...ENTRIES.values()].filter(inRoom).sort())
})

test('the lock file names no registry, and has a checksum for every package', () => {
  const lock = read('package-lock.json')
  expect(lock).not.toMatch(/"resolved": "http/)
  const packages = Object.entries<Record<string, unknown>>(JSON.parse(lock).packages)
  const without = packages.filter(
    ([path, { integrity, link, inBundle }]) => path !== '' && !integrity && !link && !inBundle,
  )
  expect(without.map(([path]) => path)).toEqual([])
})
