import { openSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createApiKeys, plans } from '../../../src/index.ts'
import type { KeyStorage, UsageOutcome } from '../../../src/storage/index.ts'

/** What becomes of a request with each of the keys. */
export const OUTCOMES: readonly UsageOutcome[] = ['accepted', 'revoked']

/** A key that a worker authenticates with. */
export interface CountedKey {
  readonly id: string
  readonly secret: string
}

const REQUESTS_OF_FLUSH = 50
const FLUSHED = 'F'

/**
 * Authenticates and flushes until it is killed. Each request is written to a file before it is made, and
 * a letter after each flush: what a file has taken survives the kill.
 */
export async function useUntilKilled(
  storage: KeyStorage,
  { keys, path }: { readonly keys: readonly CountedKey[]; readonly path: string },
): Promise<never> {
  const log = openSync(path, 'a')
  const counted = createApiKeys({
    storage,
    entitlements: () => plans.enterprise,
    usageFlushMs: 60_000,
  })
  for (;;) {
    for (let count = 0; count < REQUESTS_OF_FLUSH; count += 1) {
      const at = Math.floor(Math.random() * keys.length)
      writeSync(log, String(at))
      await counted.authenticate(`Bearer ${keys[at]?.secret}`, 'contacts.read')
    }
    await counted.flush()
    writeSync(log, FLUSHED)
  }
}

/** What a worker has counted, and how much of it before its last flush; of each key and of all. */
export async function readCounts(path: string) {
  const text = await readFile(path, 'utf8').catch(() => '')
  const flushedText = text.slice(0, text.lastIndexOf(FLUSHED) + 1)
  const countIn = (part: string) => OUTCOMES.map((_, at) => part.split(String(at)).length - 1)
  const [flushedOf, countedOf] = [countIn(flushedText), countIn(text)]
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  return { flushedOf, countedOf, flushed: sum(flushedOf), counted: sum(countedOf) }
}
