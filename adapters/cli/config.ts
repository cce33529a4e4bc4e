import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { EntitlementsOf, KeyFormat, ScopeCatalogue } from '../../src/index.ts'
import { plans } from '../../src/index.ts'
import { UsageError } from './usage-error.ts'

/**
 * What a config module exports, as its default or by these names: what the application gives to
 * `createApiKeys` too.
 */
export interface CliConfig {
  /** The first word of every secret. Default `svc`. */
  readonly brand?: string
  /** The scopes on offer. Default: the 24 of the package. */
  readonly catalogue?: ScopeCatalogue<string>
  /** What a workspace's plan allows. Default: the public API and any number of keys. */
  readonly entitlements?: EntitlementsOf
  /** The formats of keys that other systems issued. Default: none. */
  readonly formats?: readonly KeyFormat[]
}

const KNOWN: ReadonlySet<string> = new Set(['brand', 'catalogue', 'entitlements', 'formats'])

/** Loads a config module. Throws a {@link UsageError} that says what is wrong with it. */
export async function loadConfig(path: string | undefined): Promise<CliConfig | null> {
  if (path === undefined) return null
  const config = configIn(path, await importModule(path))
  const unknown = Object.keys(config).find((name) => !KNOWN.has(name))
  if (unknown !== undefined) throw new UsageError(`${path} exports "${unknown}", which is unknown.`)
  return config as CliConfig
}

/** The options of `createApiKeys` for an operator, who is bound by no plan unless the config says so. */
export function optionsOf(config: CliConfig | null) {
  const { brand = 'svc', catalogue, formats, entitlements = () => plans.enterprise } = config ?? {}
  return {
    entitlements,
    brand,
    ...(catalogue !== undefined && { catalogue }),
    ...(formats !== undefined && { formats }),
  }
}

type Exports = Readonly<Record<string, unknown>>

/** Its default export, or else its named ones. Both are refused: some would be ignored. */
function configIn(path: string, module: Exports): Exports {
  const exported = exportsOf(module)
  if (!('default' in exported)) return exported
  const { default: config, ...named } = exported
  if (!isPlain(config)) throw new UsageError(`The default export of ${path} must be an object.`)
  // Node exports the names of a CommonJS module beside the object that has them.
  const stray = Object.keys(named).find((name) => named[name] !== config[name])
  if (stray === undefined) return config
  throw new UsageError(`${path} exports "${stray}" beside its default: keep one of the two.`)
}

/**
 * Importing a module that was compiled to CommonJS puts the whole of it into the default export.
 */
function exportsOf(module: Exports): Exports {
  const inner = module['default']
  const compiled = isPlain(inner) && inner['__esModule'] === true
  const { __esModule, 'module.exports': itself, ...own } = compiled ? inner : module
  return own
}

function isPlain(value: unknown): value is Exports {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

async function importModule(path: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(resolve(path)).href)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${path} cannot be loaded: ${message.split('\n')[0]}`)
  }
}
