import { sha256Hex } from '#sha256'
import { type Context, same } from '../context.ts'
import { ApiKeyError, StorageFault } from '../errors.ts'
import type { Entitlements } from '../plans/entitlements.ts'
import { type SecretFormat, secretFormat } from '../secret/format.ts'
import type { KeyRecord } from '../storage/contract.ts'
import type { CheckedRecord } from '../storage/record.ts'
import type { UsageCounter } from '../usage/usage-counter.ts'
import { parseBearer } from './bearer.ts'
import { ANONYMOUS_DENIAL, type Authentication, type Denial } from './denial.ts'

/** An answer at once where nothing has to be awaited, a promise of it otherwise. */
type Answer<S extends string> = Authentication<S> | Promise<Authentication<S>>

/**
 * Decides about one request. Each step is taken only when the one before has passed: missing,
 * invalid request, malformed, unknown, revoked, plan, scope; then the use is counted. Nothing about
 * a key is told before the hash of its secret has matched.
 */
export class Authenticator<S extends string> {
  readonly #context: Context<S>
  readonly #usage: UsageCounter
  readonly #format: SecretFormat

  constructor(context: Context<S>, usage: UsageCounter) {
    this.#context = context
    this.#usage = usage
    this.#format = secretFormat(context.settings.brand)
  }

  authenticate(header: unknown, requiredScope: S | null): Promise<Authentication<S>> {
    if (requiredScope !== null && !this.#context.settings.catalogue.has(requiredScope)) {
      return Promise.reject(new ApiKeyError('unknown_scope'))
    }
    try {
      return Promise.resolve(this.#answer(header, requiredScope))
    } catch (error) {
      return this.#fail(error)
    }
  }

  /** Async so that also what goes wrong in here, such as a broken clock, rejects. */
  async #fail(error: unknown): Promise<never> {
    throw this.#fault(error)
  }

  #answer(header: unknown, requiredScope: S | null): Answer<S> {
    const bearer = parseBearer(header, this.#format)
    if (!bearer.ok) return this.#deny(ANONYMOUS_DENIAL[bearer.reason], requiredScope, null)
    const hash = sha256Hex(bearer.secret)
    const found = this.#context.settings.storage.findByHash(hash)
    if (isPromise(found)) return this.#answerLater(found, hash, requiredScope)
    return this.#decide(found, hash, requiredScope)
  }

  async #answerLater(
    found: Promise<KeyRecord | null>,
    hash: string,
    requiredScope: S | null,
  ): Promise<Authentication<S>> {
    const record = await this.#context.ask('findByHash', () => found, same)
    try {
      return await this.#decide(record, hash, requiredScope)
    } catch (error) {
      throw this.#fault(error)
    }
  }

  #decide(record: KeyRecord | null, hash: string, requiredScope: S | null): Answer<S> {
    if (record === null) return this.#deny(ANONYMOUS_DENIAL.unknown, requiredScope, null)
    if (record.hash !== hash) throw new TypeError('The storage answered with another key.')
    const { plans, records, settings } = this.#context
    const checked = records.check(record)
    if (record.revokedAtMs !== null) {
      return this.#deny(keyDenial('revoked', record), requiredScope, record)
    }
    const use = { requiredScope, atMs: settings.nowMs() }
    const known = plans.peek(record.workspaceId, use.atMs)
    if (known !== null) return this.#conclude(checked, known, use)
    return this.#context
      .rememberedEntitlements(record.workspaceId)
      .then((entitlements) => this.#conclude(checked, entitlements, use))
  }

  #conclude(
    checked: CheckedRecord<S>,
    { publicApi }: Entitlements,
    { requiredScope, atMs }: { readonly requiredScope: S | null; readonly atMs: number },
  ): Authentication<S> {
    const { record, scopes } = checked
    if (!publicApi) return this.#deny(keyDenial('plan_required', record), requiredScope, record)
    if (requiredScope !== null && !scopes.includes(requiredScope)) {
      return this.#deny(scopeDenial(requiredScope, record), requiredScope, record)
    }
    this.#usage.count(record.id, atMs)
    return checked.accepted()
  }

  #deny(denial: Denial<S>, requiredScope: S | null, record: KeyRecord | null): Denial<S> {
    const { onEvent, nowMs } = this.#context.settings
    onEvent?.({
      type: 'authentication.denied',
      at: new Date(nowMs()),
      reason: denial.reason,
      requiredScope,
      keyId: record?.id ?? null,
      workspaceId: record?.workspaceId ?? null,
    })
    return denial
  }

  #fault(error: unknown): StorageFault {
    return error instanceof StorageFault ? error : this.#context.fault('findByHash', error)
  }
}

function keyDenial(reason: 'revoked' | 'plan_required', { id }: KeyRecord): Denial<never> {
  return Object.freeze({ ok: false, reason, keyId: id })
}

function scopeDenial<S extends string>(scope: S, { id }: KeyRecord): Denial<S> {
  return Object.freeze({ ok: false, reason: 'insufficient_scope', keyId: id, scope })
}

function isPromise<T extends object>(
  value: T | null | Promise<T | null>,
): value is Promise<T | null> {
  return value !== null && 'then' in value
}
