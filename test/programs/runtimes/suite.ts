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

/** What came of one group of checks. */
interface GroupResult {
  readonly name: string
  readonly passed: number
  readonly failures: readonly string[]
}

/** What the suite has found, among whatever a runtime prints beside it. */
export function resultsIn(output: string) {
  const [, found] = /results (\[.*\])/.exec(output) ?? []
  if (found === undefined) throw new Error(`no results in:\n${output.slice(0, 2_000)}`)
  const groups: readonly GroupResult[] = JSON.parse(found)
  return {
    passed: groups.reduce((sum, { passed }) => sum + passed, 0),
    failures: groups.flatMap(({ name, failures }) => failures.map((text) => `${name}: ${text}`)),
    drivers: groups.flatMap(
      ({ name }) => /SQLite through (?:a path \()?([^)]+)/.exec(name)?.[1] ?? [],
    ),
  }
}
