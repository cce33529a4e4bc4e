/**
 * Loads what the first screen does not need. The build puts another module in the place of this one,
 * which loads the file that `build/second-file.ts` makes.
 */
export function loadMore(): Promise<typeof import('./more/index.ts')> {
  return import('./more/index.ts')
}
