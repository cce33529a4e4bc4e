import * as z from 'zod/mini'
import { importKey } from '../lib/secret-scanning/signature.ts'

const LIST_URL = 'https://api.github.com/meta/public_keys/secret_scanning'
const TTL_MS = 3_600_000
/** GitHub answers an address without a token 60 times an hour. */
const REFETCH_MS = 60_000
/** Well below the 30 seconds after which GitHub gives up on an alert. */
const TIMEOUT_MS = 10_000

const LIST = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })),
})

/** Fetches GitHub's list of public keys. */
export type FetchKeys = () => Promise<unknown>

/** Asks GitHub, without a token. */
export async function fetchFromGitHub(url = LIST_URL): Promise<unknown> {
  const headers = { accept: 'application/json', 'user-agent': 'miftah' }
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`GitHub answered ${response.status}.`)
  return response.json()
}

/** The public keys are not to be had now: nothing can be said about a signature. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

/**
 * GitHub's public keys, remembered for an hour. A key that is not among them makes it ask again,
 * once a minute at most and once for all who wait: strangers must not be able to spend the host's
 * quota. A failure is remembered as long.
 */
export class PublicKeys {
  readonly #fetchKeys: FetchKeys
  #keys: ReadonlyMap<string, CryptoKey> | null = null
  #fetchedAtMs = Number.NEGATIVE_INFINITY
  #askedAtMs = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | null = null
  #failure: KeysUnavailable | null = null

  constructor(fetchKeys: FetchKeys) {
    this.#fetchKeys = fetchKeys
  }

  /** The key with this identifier, or `null`. Throws `KeysUnavailable`. */
  async find(id: string): Promise<CryptoKey | null> {
    const known = this.#current()?.get(id)
    if (known !== undefined) return known
    if (performance.now() - this.#askedAtMs >= REFETCH_MS) {
      this.#askedAtMs = performance.now()
      this.#asking = this.#ask()
    }
    await this.#asking
    const key = this.#current()?.get(id)
    if (key === undefined && this.#failure !== null) throw this.#failure
    return key ?? null
  }

  #current(): ReadonlyMap<string, CryptoKey> | null {
    return performance.now() - this.#fetchedAtMs < TTL_MS ? this.#keys : null
  }

  async #ask(): Promise<void> {
    const atMs = this.#askedAtMs
    try {
      this.#keys = await keysOf(await inTime(this.#fetchKeys()))
      this.#fetchedAtMs = atMs
      this.#failure = null
    } catch (cause) {
      this.#failure = new KeysUnavailable('The public keys could not be fetched.', { cause })
    }
  }
}

/** The keys of a list that can be used; others are passed over, so that one does not spoil all. */
async function keysOf(list: unknown): Promise<ReadonlyMap<string, CryptoKey>> {
  const { public_keys } = z.parse(LIST, list)
  const imported = await Promise.all(
    public_keys.map(async ({ key_identifier, key }) => {
      const usable = await importKey(key).catch(() => null)
      return usable === null ? [] : [[key_identifier, usable] as const]
    }),
  )
  return new Map(imported.flat())
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${TIMEOUT_MS} ms`)), TIMEOUT_MS)
  })
  return Promise.race([work, end]).finally(() => clearTimeout(timer))
}
