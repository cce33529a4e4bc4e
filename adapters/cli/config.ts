import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ApiKeysOptions, type KeyFormat, plans, type ScopeCatalogue } from '../../src/index.ts'
import { unknownName } from '../../src/lib/known-names.ts'
import { UsageError } from './errors.ts'

/**
 * What is taken of a config module: exports of these names, or properties of its default export. It
 * may be a module of the application, whose other exports are its own.
 */
export interface CliConfig {
  /** The first word of every secret. Default `svc`. */
  readonly brand?: string
  /** The scopes on offer. Default: the 24 of the package. */
  readonly catalogue?: ScopeCatalogue<string>
  /** What a workspace's plan allows. Default: the public API and any number of keys. */
  readonly entitlements?: ApiKeysOptions['entitlements']
  /** The formats of keys that other systems issued. Default: none. */
  readonly formats?: readonly KeyFormat[]
}

const NAMES = ['brand', 'catalogue', 'entitlements', 'formats'] as const

/** Loads a config module. Throws a {@link UsageError} that says what is wrong with it. */
export async function loadConfig(path: string | undefined): Promise<CliConfig | null> {
  if (path === undefined) return null
  const config = await namedExports(path, NAMES)
  if (Object.keys(config).length > 0) return config
  throw new UsageError(`${path} exports none of: ${NAMES.join(', ')}.`)
}

/**
 * The exports of a module with these names, or properties of its default export. With `hasOthers: false` any
 * other is refused: it is misspelt.
 */
export async function namedExports(
  path: string,
  names: readonly string[],
  { hasOthers = true } = {},
): Promise<Record<string, unknown>> {
  const places = placesIn(await importModule(path))
  const config: Record<string, unknown> = {}
  for (const [name, value] of places.flatMap((place) => Object.entries(place))) {
    if (!names.includes(name)) {
      if (hasOthers || OF_NODE.includes(name)) continue
      throw new UsageError(unknownName(`${path}: there is no option`, name, names))
    }
    if (value === undefined) continue
    config[name] ??= value
    if (config[name] !== value) {
      throw new UsageError(`${path} exports "${name}" by name and, another, in its default.`)
    }
  }
  return config
}

/** The options of `createApiKeys` for an operator, who is bound by no plan unless the config says so. */
export function optionsOf(config: CliConfig | null) {
  return { brand: 'svc', entitlements: () => plans.enterprise, ...config }
}

/** What Node adds to the exports of a CommonJS module. */
const OF_NODE = ['default', 'module.exports', '__esModule']

type Exports = Readonly<Record<string, unknown>>

/** A module and, where it is an object, its default. What was compiled to CommonJS stands whole in the default. */
function placesIn(module: Exports): readonly Exports[] {
  const { default: inner } = module
  if (!isPlain(inner)) return [module]
  return inner['__esModule'] === true ? placesIn({ ...inner, __esModule: false }) : [module, inner]
}

function isPlain(value: unknown): value is Exports {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Loads a module of the user. Throws a {@link UsageError} that says why it cannot be loaded. */
async function importModule(path: string): Promise<Exports> {
  try {
    return await import(pathToFileURL(resolve(path)).href)
  } catch (error) {
    const [line = ''] = `${Object(error).message ?? error}`.split('\n')
    const isTyped = /^Unknown file extension "\.[cm]?tsx?"/.test(line)
    throw new UsageError(`${path} cannot be loaded: ${line}${isTyped ? `. ${WITH_TSX}` : ''}`)
  }
}

const WITH_TSX =
  'This Node runs no TypeScript: use Node 22.18 or later, or `npm install -D tsx` and then ' +
  '`npx tsx node_modules/miftah/dist/cli.js` in place of `npx miftah`.'
