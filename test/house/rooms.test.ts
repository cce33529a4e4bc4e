import { describe, expect, test } from 'vitest'
import { filesIn, type Import, importsOf, read } from './sources.ts'

/** What the files of a room may import: of `values` all, of `types` only types. */
interface Rule {
  readonly room: string
  readonly values: readonly RegExp[]
  readonly types?: readonly RegExp[]
}

const PUBLIC_ENTRY = /^src\/(storage\/|http\/)?index\.ts$/
const ANY_OF_NODE = /^node:/

/** The first rule that fits a file is its rule. */
const RULES: readonly Rule[] = [
  { room: 'src/secret/sha256-node.ts', values: [/^node:crypto$/] },
  { room: 'src/', values: [/^src\//, /^zod\/mini$/, /^@noble\/hashes\//, /^nanoid$/, /^#sha256$/] },
  ...['memory', 'sqlite', 'postgres'].flatMap((backend) =>
    [`adapters/storage/lib/${backend}/`, `adapters/storage/${backend}.ts`].map((room) => ({
      room,
      values: [
        PUBLIC_ENTRY,
        new RegExp(`^adapters/storage/lib/(${backend}/|[^/]+$)`),
        // Asked for by name at run time, where the runtime has no SQLite of its own.
        ...(backend === 'sqlite' ? [/^@photostructure\/sqlite$/] : []),
      ],
    })),
  ),
  { room: 'adapters/storage/testing/', values: [PUBLIC_ENTRY, /^adapters\/storage\/testing\//] },
  { room: 'adapters/storage/lib/', values: [PUBLIC_ENTRY, /^adapters\/storage\/lib\/[^/]+$/] },
  {
    room: 'adapters/http/nestjs.ts',
    // A parameter decorator of NestJS can only be made by NestJS.
    values: [PUBLIC_ENTRY, /^adapters\/http\//, /^@nestjs\/common$/],
  },
  {
    room: 'adapters/http/',
    // zod reads the bodies of the management routes.
    values: [PUBLIC_ENTRY, /^adapters\/http\//, /^zod\/mini$/],
    types: [ANY_OF_NODE, /^express$/, /^fastify$/, /^hono$/],
  },
  { room: 'adapters/client/', values: [/^adapters\/client\//], types: [PUBLIC_ENTRY] },
  // Run by the build, not part of the element.
  {
    room: 'adapters/ui/build/',
    values: [/^adapters\/ui\/build\//, ANY_OF_NODE, /^esbuild$/, /^@custom-elements-manifest\//],
    types: [/^typescript$/],
  },
  {
    room: 'adapters/ui/',
    values: [/^adapters\/ui\/(?!build\/)/, /^adapters\/client\//, /^lit(\/|$)/],
    types: [PUBLIC_ENTRY],
  },
  { room: 'examples/', values: [/^examples\//, /^(?!src\/|adapters\/|test\/|\.)/] },
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

const FILES = ['src', 'adapters', 'examples'].flatMap((room) => filesIn(room, '.ts', '.tsx'))

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
    ['src/index.ts', "import type { Pool } from 'pg'"],
    ['src/index.ts', "import * as z from 'zod'"],
    ['adapters/storage/memory.ts', "import { x } from '../../src/secret/mint.ts'"],
    ['adapters/storage/memory.ts', "import { x } from './sqlite.ts'"],
    ['adapters/storage/postgres.ts', "import { Pool } from 'pg'"],
    ['adapters/storage/postgres.ts', "import type { Pool } from 'pg'"],
    ['adapters/http/express.ts', "import express from 'express'"],
    ['adapters/http/hono.ts', "import { Hono } from 'hono'"],
    ['adapters/http/nestjs.ts', "import { NestFactory } from '@nestjs/core'"],
    ['adapters/http/nestjs.ts', "import type { Request } from 'express'"],
    ['adapters/http/lib/nestjs/exchange.ts', "import { UseGuards } from '@nestjs/common'"],
    ['adapters/http/express.ts', "export { memoryStorage } from '../storage/memory.ts'"],
    ['adapters/client/index.ts', "import { plans } from '../../src/index.ts'"],
    ['adapters/client/index.ts', "import 'lit'"],
    ['adapters/ui/element.ts', "import { plans } from '../../src/index.ts'"],
    ['adapters/ui/element.ts', "const m = await import('../http/fetch.ts')"],
    ['adapters/ui/element.ts', "import { minify } from './build/minify-templates.ts'"],
    ['examples/host/main.ts', "import { plans } from '../../src/index.ts'"],
    ['somewhere/else.ts', "import 'zod/mini'"],
  ])('%s could not: %s', (file, text) => {
    expect(importsOf(file, text)).toHaveLength(1)
    expect(importsOf(file, text).filter(isAllowed)).toEqual([])
  })

  test('src knows neither console nor any DOM', () => {
    const words = /\b(console|document|window|localStorage|process|Buffer|require)\b\s*[.(]/
    const code = (file: string) => read(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    expect(filesIn('src', '.ts').filter((file) => words.test(code(file)))).toEqual([])
  })
})

describe('the habits', () => {
  const code = [...FILES, ...filesIn('test', '.ts')]

  test('imports name their file with its ending', () => {
    const bare = IMPORTS.filter(({ target }) => /^(src|adapters|examples)\//.test(target)).filter(
      ({ target }) => !/\.(ts|tsx|json|css)$/.test(target),
    )
    expect(bare.map(show)).toEqual([])
  })

  test('no default export, but where a tool asks for it', () => {
    const asked = /-(reporter|runner)\.ts$|\.config\.ts$/
    const files = code.filter((file) => /^export default /m.test(read(file)) && !asked.test(file))
    expect(files).toEqual([])
  })
})

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

  test('and the core depends on three packages', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: object }
    expect(Object.keys(dependencies).filter((name) => name !== 'lit')).toEqual([
      '@noble/hashes',
      'nanoid',
      'zod',
    ])
  })
})
