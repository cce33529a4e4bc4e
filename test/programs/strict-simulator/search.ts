import { play, type Variant } from './history.ts'

/** The first seed whose history breaks the guarantee, or `null` if none of so many does. */
export async function firstFailure(variant: Variant, most: number): Promise<number | null> {
  for (let seed = 1; seed <= most; seed += 1) {
    if ((await play(seed, variant)).staleAccepts > 0) return seed
  }
  return null
}
