import { build } from 'esbuild'

/** For runtimes without modules of Node, as their own tools bundle. */
export const FOR_WORKERS = ['workerd', 'worker', 'browser']

/**
 * A program and all that it imports in one file, without Node's own SHA-256 where the conditions do
 * not ask for it. Modules of runtimes and the optional SQLite package stay imports.
 */
export async function bundle(from: string, to: string, conditions: readonly string[]) {
  await build({
    entryPoints: [from],
    outfile: to,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: [...conditions],
    external: ['node:*', '@photostructure/sqlite'],
    logLevel: 'error',
  })
}
