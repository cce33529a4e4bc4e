import { propertyOf } from '../../../../src/lib/property.ts'
import { withinTime } from '../../../../src/lib/within-time.ts'
import { refusals } from './refusals.ts'
import { importKey } from './signature.ts'

/** How long a list is valid. */
const TTL_MS = 3_600_000
/** How long a list is trusted about keys that are not in it. */
const FRESH_MS = 60_000
/** The limit of fetches for unknown keys, and its window. */
const MOST_FOR_UNKNOWN = 3
const WINDOW_MS = 1_800_000
/** The pause after a failure; it doubles up to the maximum. */
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 300_000
/** Well below the 30 seconds after which GitHub gives up on an alert. */
export const TIMEOUT_MS = 10_000

/** Fetches GitHub's list of public keys. */
export type FetchKeys = () => Promise<unknown>

type Keys = ReadonlyMap<string, CryptoKey>

/** The public keys could not be fetched, so no signature can be checked. */
export class KeysUnavailable extends Error {
  override get name(): 'KeysUnavailable' {
    return 'KeysUnavailable'
  }
}

/**
 * GitHub's public keys, remembered for an hour. GitHub allows 60 requests an hour without a token, and
 * strangers must not be able to use them up: an unknown key causes another fetch, but at most six an
 * hour, and a failure is followed by a pause. All durations are monotonic.
 */
export class PublicKeys {
  readonly #fetchKeys: FetchKeys
  #keys: Keys | null = null
  #fetchedAtMs = Number.NEGATIVE_INFINITY
  #fetchedForUnknownAtMs: readonly number[] = []
  #failures = 0
  #pausedUntilMs = Number.NEGATIVE_INFINITY
  #fetching: Promise<void> | null = null

  constructor(fetchKeys: FetchKeys) {
    this.#fetchKeys = fetchKeys
  }

  /**
   * The key with this identifier, or `null` when GitHub has none. Throws `KeysUnavailable` when the
   * list could not be fetched, and refuses (503) while it may not be fetched.
   */
  async find(id: string): Promise<CryptoKey | null> {
    const known = this.#current()?.get(id)
    if (known !== undefined) return known
    if (this.#fetching === null && this.#mayFetch()) {
      this.#fetching = this.#fetch().finally(() => {
        this.#fetching = null
      })
    }
    await this.#fetching
    const key = this.#current()?.get(id)
    if (key !== undefined) return key
    if (this.#ageMs() < FRESH_MS) return null
    // GitHub may have made this key after the list was fetched: the alert must be delivered again.
    throw refusals.keysUnavailable()
  }

  #ageMs(): number {
    return performance.now() - this.#fetchedAtMs
  }

  #current(): Keys | null {
    return this.#ageMs() < TTL_MS ? this.#keys : null
  }

  #mayFetch(): boolean {
    const nowMs = performance.now()
    if (nowMs < this.#pausedUntilMs) return false
    if (this.#current() === null) return true
    return this.#ageMs() >= FRESH_MS && this.#mayFetchForUnknown(nowMs)
  }

  #mayFetchForUnknown(nowMs: number): boolean {
    const lately = this.#fetchedForUnknownAtMs.filter((atMs) => nowMs - atMs < WINDOW_MS)
    if (lately.length >= MOST_FOR_UNKNOWN) return false
    this.#fetchedForUnknownAtMs = [...lately, nowMs]
    return true
  }

  async #fetch(): Promise<void> {
    const atMs = performance.now()
    try {
      this.#keys = await keysOf(
        await withinTime({ timeoutMs: TIMEOUT_MS }, () => this.#fetchKeys()),
      )
      this.#fetchedAtMs = atMs
      this.#failures = 0
    } catch (cause) {
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures)
      this.#failures += 1
      this.#pausedUntilMs = performance.now() + pauseMs
      throw new KeysUnavailable('The public keys could not be fetched.', { cause })
    }
  }
}

/**
 * The usable keys of a list; one invalid key does not affect the others. Where none is usable, the
 * runtime may lack WebCrypto: nothing can be said about a signature then.
 */
async function keysOf(list: unknown): Promise<Keys> {
  const imported = await Promise.allSettled(
    listedIn(list).map(async ({ id, pem }) => [id, await importKey(pem)] as const),
  )
  const usable = imported.flatMap((key) => (key.status === 'fulfilled' ? [key.value] : []))
  if (usable.length > 0) return new Map(usable)
  const [first] = imported
  const cause = first?.status === 'rejected' ? first.reason : undefined
  throw new TypeError('None of the public keys can be used.', { cause })
}

interface Listed {
  readonly id: string
  readonly pem: string
}

function listedIn(list: unknown): readonly Listed[] {
  const items = fieldOf(list, 'public_keys')
  const listed = Array.isArray(items) ? items.flatMap(listedAs) : []
  if (listed.length === 0) throw new TypeError('The answer is not a list of public keys.')
  return listed
}

function listedAs(item: unknown): readonly Listed[] {
  const id = fieldOf(item, 'key_identifier')
  const pem = fieldOf(item, 'key')
  return typeof id === 'string' && typeof pem === 'string' ? [{ id, pem }] : []
}

function fieldOf(value: unknown, name: string): unknown {
  const fields: Readonly<Record<string, unknown>> = Object(value)
  return propertyOf(fields, name)
}
