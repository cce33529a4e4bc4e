import tsconfig from '../../tsconfig.json' with { type: 'json' }

/** The entries of the package: the source of each published name, as `tsconfig.json` says. */
export const ENTRIES: ReadonlyMap<string, string> = new Map(
  Object.entries(tsconfig.compilerOptions.paths)
    .filter(([name]) => name.startsWith('miftah'))
    .map(([name, [source = '']]) => [name, source.replace('./', '')]),
)

/** What an entry is called in `dist`, without the ending: `settings-tab`. */
export function builtName(entry: string): string {
  return entry === 'miftah' ? 'index' : entry.replace('miftah/', '').replaceAll('/', '-')
}
