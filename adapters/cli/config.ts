import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ApiKeysOptions } from '../../src/index.ts'
import { UsageError } from './errors.ts'

/**
 * What is taken of a config module: exports of these names, or properties of its default export. It
 * may be a module of the application, whose other exports are its own.
 */
export type CliConfig = Partial<
  Pick<ApiKeysOptions<string>, 'brand' | 'catalogue' | 'entitlements' | 'formats'>
>

const NAMES = ['brand', 'catalogue', 'entitlements', 'formats']

/** Loads a config module. Throws a {@link UsageError} that says what is wrong with it. */
export async function loadConfig(path: string | undefined): Promise<CliConfig | null> {
  if (path === undefined) return null
  const config = await exportsOf(path, NAMES)
  if (Object.keys(config).length > 0) return config
  throw new UsageError(`${path} exports none of: ${NAMES.join(', ')}.`)
}

/** The exports of a module with these names, or without any all; also properties of its default export. */
export async function exportsOf(
  path: string,
  names?: readonly string[],
): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const [name, value] of placesIn(await importModule(path)).flatMap(Object.entries)) {
    // The others Node adds to the exports of a CommonJS module.
    const isOwn = names?.includes(name) ?? !/^(?:default|module\.exports|__esModule)$/.test(name)
    if (value === undefined || !isOwn) continue
    found[name] ??= value
    if (found[name] !== value) {
      throw new UsageError(`${path} exports "${name}" by name and, another, in its default.`)
    }
  }
  return found
}

type Exports = Readonly<Record<string, unknown>>

/** A module and, where it is an object, its default. What was compiled to CommonJS stands whole in the default. */
function placesIn(module: Exports): readonly Exports[] {
  const { default: inner } = module
  if (typeof inner !== 'object' || inner === null) return [module]
  const isCompiled = Object(inner).__esModule === true
  return isCompiled ? placesIn({ ...inner, __esModule: false }) : [module, { ...inner }]
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
