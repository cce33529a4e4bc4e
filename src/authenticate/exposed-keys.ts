import type { Context } from '../context.ts'
import { findKeyBySecret } from '../keys/find-key-by-secret.ts'
import { pauseExposed } from '../keys/pause-key.ts'
import type { AuthenticatedKey } from '../model/key.ts'
import { secretClassifier } from '../secret/format.ts'
import type { GivenText } from './access-check.ts'
import { parseHeader } from './credential.ts'

/** How long after a pause no other key is paused: an attacker with many keys cannot pause them all at once. */
const INTERVAL_MS = 60_000

/** Keys that were sent over plain HTTP, where others can read them. */
export class ExposedKeys<S extends string> {
  readonly #context: Context<S>
  #hasSeenSecure = false
  #lastPauseMs = Number.NEGATIVE_INFINITY

  constructor(context: Context<S>) {
    this.#context = context
  }

  /** Notes a request over TLS: a proxy that hides TLS from this process hides it on every request. */
  sawSecure(): void {
    this.#hasSeenSecure = true
  }

  /** Reports a refused request to `onEvent`. */
  report(key: AuthenticatedKey<S> | null): void {
    const { settings, calls } = this.#context
    settings.onEvent?.({
      type: 'authentication.denied',
      at: new Date(calls.clockMs()),
      reason: 'cleartext',
      requirement: null,
      keyId: key?.id ?? null,
      workspaceId: key?.workspaceId ?? null,
    })
  }

  /** Reports a refused request, and pauses its key if it may. A failure is reported, never thrown. */
  async pause(header: GivenText): Promise<void> {
    try {
      const key = this.#mayPause() ? await this.#keyIn(header) : null
      this.report(key)
      if (key?.status !== 'active' || !this.#mayPause()) return
      this.#lastPauseMs = performance.now()
      await pauseExposed(this.#context, key)
    } catch (error) {
      this.#context.calls.report('cleartext', error)
    }
  }

  #mayPause(): boolean {
    return this.#hasSeenSecure && performance.now() - this.#lastPauseMs >= INTERVAL_MS
  }

  /** `adopt` is never called: a key that is not stored cannot be paused. */
  async #keyIn(header: GivenText): Promise<AuthenticatedKey<S> | null> {
    const parsed = parseHeader(header, secretClassifier(this.#context.settings.brand))
    const text = 'other' in parsed ? parsed.other : parsed.secret
    return text === null ? null : findKeyBySecret(this.#context, text)
  }
}
