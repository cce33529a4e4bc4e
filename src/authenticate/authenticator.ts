import { sha256Hex } from '#sha256'
import type { Context } from '../context.ts'
import { ApiKeyError } from '../errors.ts'
import type { AuthenticatedKey, KeyStatus } from '../keys/api-key.ts'
import { statusAt } from '../keys/status.ts'
import { isPromise } from '../lib/within-time.ts'
import { askLimiter, type LimiterSettings } from '../limits/limit-check.ts'
import type { LimiterAnswer, LimiterPolicy, LimiterRequest } from '../limits/limiter.ts'
import { type SecretClassifier, secretClassifier } from '../secret/format.ts'
import type { KeyRecord } from '../storage/contract.ts'
import { type AuthenticateOptions, checkCost } from './cost.ts'
import type {
  Accepted,
  AnonymousReason,
  Authentication,
  Denial,
  DenialReason,
  KeyReason,
} from './denial.ts'
import { parseHeader } from './header.ts'
import { type KeySource, keySourceOf } from './key-source.ts'
import type { UsageCounter } from './usage-counter.ts'

type Refused = Extract<LimiterAnswer, { readonly allowed: false }>
type Named = Pick<KeyRecord, 'id' | 'workspaceId'>

/**
 * Decides about one request. Each step is taken only when the one before has passed: missing,
 * invalid request, malformed, unknown, revoked, expired, paused, plan, scope, rate limit; then the use
 * is counted. Nothing about a key is revealed before the hash of its secret has matched.
 */
export class Authenticator<S extends string> {
  readonly #context: Context<S>
  readonly #usage: UsageCounter
  readonly #source: KeySource<S>
  readonly #classify: SecretClassifier

  constructor(context: Context<S>, usage: UsageCounter) {
    this.#context = context
    this.#usage = usage
    this.#source = keySourceOf(context)
    this.#classify = secretClassifier(context.settings.brand)
  }

  async authenticate(
    header: unknown,
    required: S | null,
    { cost = 1 }: AuthenticateOptions = {},
  ): Promise<Authentication<S>> {
    const { catalogue, limits } = this.#context.settings
    if (required !== null && !catalogue.has(required)) throw new ApiKeyError('unknown_scope')
    const parsed = parseHeader(header, this.#classify)
    if (parsed.secret === null) return this.#refuse(parsed.reason, required)
    // Awaiting promises only, here and in createApiKeys: -16 % of an authentication in memory.
    const asked = this.#source(sha256Hex(parsed.secret))
    const found = isPromise(asked) ? await asked : asked
    if (found === null) return this.#refuse('unknown', required)
    const { record, key, accepted } = found
    const atMs = this.#context.clockMs()
    const status = statusAt(record, atMs)
    if (isShut(status)) return this.#refuseKey(status, record, required)
    const plan = this.#context.rememberedEntitlements(record.workspaceId)
    const { publicApi, rateLimit } = isPromise(plan) ? await plan : plan
    if (!publicApi) return this.#refuseKey('plan_required', record, required)
    if (required !== null && !key.scopes.includes(required)) {
      return this.#refuseScope(required, record)
    }
    const limited =
      limits === null
        ? accepted
        : this.#limited(accepted, limits, { requirement: required, cost, rateLimit })
    const answer = isPromise(limited) ? await limited : limited
    if (answer.ok) this.#usage.count(record.id, atMs)
    return answer
  }

  /** Asks the limiter about a request that has passed every other check. */
  #limited(
    accepted: Accepted<S>,
    limits: LimiterSettings,
    { cost, ...question }: Omit<LimiterRequest, 'key'> & { readonly requirement: S | null },
  ): Authentication<S> | Promise<Authentication<S>> {
    const { key } = accepted
    const request = Object.freeze({ key, cost: checkCost(cost), ...question })
    const decide = (answer: LimiterAnswer) => {
      if (!answer.allowed) return this.#refuseCall(key, question.requirement, answer)
      return answer.policies === undefined ? accepted : withLimits(accepted, answer.policies)
    }
    const asked = askLimiter(this.#context, limits, request)
    return isPromise(asked) ? asked.then(decide) : decide(asked)
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

  #refuseCall(key: AuthenticatedKey<S>, required: S | null, answer: Refused): Denial<S> {
    const { retryAfterMs, policies: limits = [] } = answer
    this.#announce('rate_limited', required, key)
    return Object.freeze({ ok: false, reason: 'rate_limited', keyId: key.id, retryAfterMs, limits })
  }

  #announce(reason: DenialReason, requiredScope: S | null, key: Named | null): void {
    const { onEvent } = this.#context.settings
    onEvent?.({
      type: 'authentication.denied',
      at: new Date(this.#context.clockMs()),
      reason,
      requiredScope,
      keyId: key?.id ?? null,
      workspaceId: key?.workspaceId ?? null,
    })
  }
}

function withLimits<S extends string>(
  accepted: Accepted<S>,
  limits: readonly LimiterPolicy[],
): Accepted<S> {
  return Object.freeze({ ...accepted, limits })
}

/** Whether a key with this status lets nothing through. Each such status is the reason of a denial. */
function isShut(status: KeyStatus): status is 'revoked' | 'expired' | 'paused' {
  return status !== 'active' && status !== 'retiring'
}
