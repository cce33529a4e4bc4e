import { sha256Hex } from '#sha256'
import { type Context, same } from '../context.ts'
import { ApiKeyError, StorageFault } from '../errors.ts'
import type { Entitlements } from '../plans/entitlements.ts'
import { type SecretFormat, secretFormat } from '../secret/format.ts'
import type { KeyRecord } from '../storage/contract.ts'
import { parseBearer } from './bearer.ts'
import {
  ANONYMOUS_DENIAL,
  type AnonymousReason,
  type Authentication,
  type Denial,
  type DenialReason,
} from './denial.ts'
import { type KnownKey, KnownKeys } from './known-key.ts'
import type { UsageCounter } from './usage-counter.ts'

/**
 * Decides about one request. Each step is taken only when the one before has passed: missing,
 * invalid request, malformed, unknown, revoked, plan, scope; then the use is counted. Nothing about
 * a key is told before the hash of its secret has matched.
 */
export class Authenticator<S extends string> {
  readonly #context: Context<S>
  readonly #usage: UsageCounter
  readonly #format: SecretFormat
  readonly #keys: KnownKeys<S>

  constructor(context: Context<S>, usage: UsageCounter) {
    this.#context = context
    this.#keys = new KnownKeys(context.records)
    this.#usage = usage
    this.#format = secretFormat(context.settings.brand)
  }

  /** Async only where something has to be awaited: most answers are made already. */
  authenticate(header: unknown, requiredScope: S | null): Promise<Authentication<S>> {
    if (requiredScope !== null && !this.#context.settings.catalogue.has(requiredScope)) {
      return Promise.reject(new ApiKeyError('unknown_scope'))
    }
    try {
      return this.#answer(header, requiredScope)
    } catch (error) {
      return this.#fail(error)
    }
  }

  /** Async so that also what goes wrong in here, such as a broken clock, rejects. */
  async #fail(error: unknown): Promise<never> {
    throw this.#fault(error)
  }

  #answer(header: unknown, requiredScope: S | null): Promise<Authentication<S>> {
    const secret = parseBearer(header, this.#format)
    if (typeof secret !== 'string') return this.#refuse(secret.reason, requiredScope)
    const hash = sha256Hex(secret)
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

  #decide(
    record: KeyRecord | null,
    hash: string,
    requiredScope: S | null,
  ): Promise<Authentication<S>> {
    if (record === null) return this.#refuse('unknown', requiredScope)
    if (record.hash !== hash) throw new TypeError('The storage answered with another key.')
    const key = this.#keys.of(record)
    if (record.revokedAtMs !== null) {
      return this.#deny(keyDenial('revoked', record), requiredScope, record)
    }
    const atMs = this.#context.settings.nowMs()
    const entitlements = this.#remembered(key)
    if (entitlements !== null) return this.#conclude(key, entitlements, requiredScope, atMs)
    return this.#context
      .rememberedEntitlements(record.workspaceId)
      .then((answer) => this.#conclude(key, answer, requiredScope, atMs))
  }

  /** What is fresh of the key's plan, `null` when the host has to be asked. */
  #remembered(key: KnownKey<S>): Entitlements | null {
    const entitlements = key.plan === null ? null : key.plan.current()
    if (entitlements !== null) return entitlements
    key.plan = this.#context.plans.plan(key.record.workspaceId)
    return key.plan === null ? null : key.plan.current()
  }

  #conclude(
    key: KnownKey<S>,
    { publicApi }: Entitlements,
    requiredScope: S | null,
    atMs: number,
  ): Promise<Authentication<S>> {
    const { record, scopes } = key
    if (!publicApi) return this.#deny(keyDenial('plan_required', record), requiredScope, record)
    if (requiredScope !== null && !scopes.includes(requiredScope)) {
      return this.#deny(scopeDenial(requiredScope, record), requiredScope, record)
    }
    if (key.tally === null || !key.tally.add(atMs)) key.tally = this.#usage.count(record.id, atMs)
    return key.accepted
  }

  #refuse(reason: AnonymousReason, requiredScope: S | null): Promise<Denial<S>> {
    this.#tell(reason, requiredScope, null)
    return ANONYMOUS_DENIAL[reason]
  }

  #deny(denial: Denial<S>, requiredScope: S | null, record: KeyRecord): Promise<Denial<S>> {
    this.#tell(denial.reason, requiredScope, record)
    return Promise.resolve(denial)
  }

  #tell(reason: DenialReason, requiredScope: S | null, record: KeyRecord | null): void {
    const { onEvent, nowMs } = this.#context.settings
    onEvent?.({
      type: 'authentication.denied',
      at: new Date(nowMs()),
      reason,
      requiredScope,
      keyId: record?.id ?? null,
      workspaceId: record?.workspaceId ?? null,
    })
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
