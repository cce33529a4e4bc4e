import { sha256Hex } from '#sha256'
import { type Context, same } from '../context.ts'
import { ApiKeyError, StorageFault } from '../errors.ts'
import type { Entitlements } from '../plans/entitlements.ts'
import { type SecretFormat, secretFormat } from '../secret/format.ts'
import type { KeyRecord } from '../storage/contract.ts'
import type { CheckedRecord } from '../storage/record.ts'
import type { UsageCounter } from '../usage/usage-counter.ts'
import { parseBearer } from './bearer.ts'
import {
  ANONYMOUS_DENIAL,
  type AnonymousReason,
  type Authentication,
  type Denial,
  type DenialReason,
} from './denial.ts'

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
    const { plans, records, settings } = this.#context
    const checked = records.check(record)
    if (record.revokedAtMs !== null) {
      return this.#deny(keyDenial('revoked', record), requiredScope, record)
    }
    const atMs = settings.nowMs()
    const known = plans.peek(record.workspaceId, atMs)
    if (known !== null) return this.#conclude(checked, known, requiredScope, atMs)
    return this.#context
      .rememberedEntitlements(record.workspaceId)
      .then((entitlements) => this.#conclude(checked, entitlements, requiredScope, atMs))
  }

  #conclude(
    checked: CheckedRecord<S>,
    { publicApi }: Entitlements,
    requiredScope: S | null,
    atMs: number,
  ): Promise<Authentication<S>> {
    const { record, scopes } = checked
    if (!publicApi) return this.#deny(keyDenial('plan_required', record), requiredScope, record)
    if (requiredScope !== null && !scopes.includes(requiredScope)) {
      return this.#deny(scopeDenial(requiredScope, record), requiredScope, record)
    }
    this.#usage.count(record.id, atMs)
    return checked.accepted()
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
