import type { Context } from '../context.ts'
import { ApiKeyError } from '../errors.ts'
import { findBySecret } from '../keys/find-key-by-secret.ts'
import { type SecretClassifier, secretClassifier } from '../secret/format.ts'
import type { KeyRecord } from '../storage/contract.ts'
import type { AnonymousReason, Authentication, Denial, DenialReason, KeyReason } from './denial.ts'
import { parseHeader } from './header.ts'
import type { UsageCounter } from './usage-counter.ts'

/**
 * Decides about one request. Each step is taken only when the one before has passed: missing,
 * invalid request, malformed, unknown, revoked, plan, scope; then the use is counted. Nothing about
 * a key is revealed before the hash of its secret has matched.
 */
export class Authenticator<S extends string> {
  readonly #context: Context<S>
  readonly #usage: UsageCounter
  readonly #classify: SecretClassifier

  constructor(context: Context<S>, usage: UsageCounter) {
    this.#context = context
    this.#usage = usage
    this.#classify = secretClassifier(context.settings.brand)
  }

  async authenticate(header: unknown, required: S | null): Promise<Authentication<S>> {
    const { catalogue } = this.#context.settings
    if (required !== null && !catalogue.has(required)) throw new ApiKeyError('unknown_scope')
    const parsed = parseHeader(header, this.#classify)
    if (parsed.secret === null) return this.#refuse(parsed.reason, required)
    const found = await findBySecret(this.#context, parsed.secret)
    if (found === null) return this.#refuse('unknown', required)
    const { record, key } = found
    if (record.revokedAtMs !== null) return this.#refuseKey('revoked', record, required)
    const { publicApi } = await this.#context.rememberedEntitlements(record.workspaceId)
    if (!publicApi) return this.#refuseKey('plan_required', record, required)
    if (required !== null && !key.scopes.includes(required)) {
      return this.#refuseScope(required, record)
    }
    this.#usage.count(record.id, this.#context.clockMs())
    return Object.freeze({ ok: true, key })
  }

  #refuse(reason: AnonymousReason, required: S | null): Denial<S> {
    this.#announce(reason, required, null)
    return Object.freeze({ ok: false, reason })
  }

  #refuseKey(reason: KeyReason, record: KeyRecord, required: S | null): Denial<S> {
    this.#announce(reason, required, record)
    return Object.freeze({ ok: false, reason, keyId: record.id })
  }

  #refuseScope(scope: S, record: KeyRecord): Denial<S> {
    this.#announce('insufficient_scope', scope, record)
    return Object.freeze({ ok: false, reason: 'insufficient_scope', keyId: record.id, scope })
  }

  #announce(reason: DenialReason, requiredScope: S | null, record: KeyRecord | null): void {
    const { onEvent } = this.#context.settings
    onEvent?.({
      type: 'authentication.denied',
      at: new Date(this.#context.clockMs()),
      reason,
      requiredScope,
      keyId: record?.id ?? null,
      workspaceId: record?.workspaceId ?? null,
    })
  }
}
