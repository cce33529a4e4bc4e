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
  const found = await importModule(path)
  const config = Object(found['default'] ?? found) as Record<string, unknown>
  const unknown = Object.keys(config).find((name) => !KNOWN.has(name) && name !== 'default')
  if (unknown !== undefined) throw new UsageError(`${path} exports "${unknown}", which is unknown.`)
  return config as CliConfig
}

/** The options of `createApiKeys` for an operator, who is bound by no plan unless the config says so. */
export function optionsOf(config: CliConfig | null) {
  const { brand, catalogue, formats, entitlements = () => plans.enterprise } = config ?? {}
  return {
    entitlements,
    ...(brand !== undefined && { brand }),
    ...(catalogue !== undefined && { catalogue }),
    ...(formats !== undefined && { formats }),
  }
}

async function importModule(path: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(resolve(path)).href)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${path} cannot be loaded: ${message.split('\n')[0]}`)
  }
}
