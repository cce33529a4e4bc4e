import { sha256Hex } from '#sha256'
import type { Context } from '../context.ts'
import { askLimiter, type LimiterSettings } from '../limits/limit-check.ts'
import type {
  Accepted,
  AnonymousReason,
  Authentication,
  Denial,
  DenialReason,
  KeyReason,
} from '../model/denial.ts'
import type { AuthenticatedKey, KeyStatus } from '../model/key.ts'
import type { KeyRecord } from '../model/key-record.ts'
import type { LimiterAnswer, LimiterRequest } from '../model/limiter.ts'
import type { Requirement, ScopeRequirement } from '../model/requirement.ts'
import { statusAt } from '../model/status.ts'
import type { Plan } from '../plans/entitlements.ts'
import { hasSecretForm, type SecretClassifier, secretClassifier } from '../secret/format.ts'
import type { ReadKey } from '../storage/record.ts'
import {
  type GivenText,
  type ParsedCredential,
  parseHeader,
  parseSecret,
  SCHEME,
} from './credential.ts'
import type { Demand } from './demand.ts'
import { type KeySource, keySourceOf } from './key-source.ts'
import { checkRequirement, isMet } from './requirement.ts'
import type { UsageCounter } from './usage-counter.ts'

type Refused = Extract<LimiterAnswer, { readonly allowed: false }>
type Named = Pick<KeyRecord, 'id' | 'workspaceId'>

/** A request whose key is known. */
interface Asked<S extends string> extends Demand<S> {
  readonly found: ReadKey<S>
  readonly atMs: number
}

/** Comes without a promise when it is known at once. */
type Answer<S extends string> = Authentication<S> | Promise<Authentication<S>>

/**
 * Decides about one request. Each step is taken only when the one before has passed: missing,
 * invalid request, malformed, unknown, revoked, expired, paused, plan, scope, rate limit; then the use
 * is counted. A refusal of a known key is counted apart. Nothing about a key is revealed before the
 * hash of its secret has matched.
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

  /** Decides from a whole `Authorization` value. */
  authenticate(header: GivenText, demand: Demand<S>): Answer<S> {
    return this.#tell(
      this.#fromMemory(header, SCHEME, demand) ??
        this.#decide(parseHeader(header, this.#classify), demand),
    )
  }

  /** Decides from a secret alone. */
  authenticateSecret(secret: GivenText, demand: Demand<S>): Answer<S> {
    return this.#tell(
      this.#fromMemory(secret, '', demand) ??
        this.#decide(parseSecret(secret, this.#classify), demand),
    )
  }

  /** Decides whether a key that has been accepted also has the scopes of a route. */
  authorize(key: AuthenticatedKey, requirement: Requirement<S>): Authentication<S> {
    const required = checkRequirement(this.#context.settings.catalogue, requirement)
    if (required !== null && !isMet(required, key.scopes)) {
      return this.#refuseScope(required, key, this.#context.clockMs())
    }
    // Only keys of this catalogue are ever accepted.
    return Object.freeze({ ok: true, key: key as AuthenticatedKey<S> })
  }

  #tell(answer: Answer<S>): Answer<S> {
    const { onAuthentication } = this.#context.settings
    if (onAuthentication === null) return answer
    const tell = (told: Authentication<S>) => {
      onAuthentication(told)
      return told
    }
    return answer instanceof Promise ? answer.then(tell) : tell(answer)
  }

  /**
   * Decides about a key that the cache remembers. No other text of this form has the hash of its
   * secret, so the checksum need not be checked: -28 % of an authentication with the cache. The text
   * that is hashed for another system's key never has this form.
   */
  #fromMemory(text: GivenText, scheme: string, demand: Demand<S>): Answer<S> | undefined {
    const { cache, settings } = this.#context
    if (cache === null || !text?.startsWith(scheme)) return undefined
    if (!hasSecretForm(text, scheme.length, settings.brand)) return undefined
    const found = cache.remembered(sha256Hex(text.slice(scheme.length)))
    return found && this.#decideAboutKey(found, demand, true)
  }

  #decide(parsed: ParsedCredential, demand: Demand<S>): Answer<S> {
    if (parsed.secret === null && parsed.reason !== 'malformed') {
      return this.#refuse(parsed.reason, demand.required)
    }
    const found =
      parsed.secret === null
        ? this.#foreignKey(parsed.other)
        : this.#source(sha256Hex(parsed.secret))
    return found instanceof Promise
      ? found.then((known) => this.#decideAboutKey(known, demand))
      : this.#decideAboutKey(found, demand)
  }

  /** `isCurrent`: the lease of the cache was checked in this turn. */
  #decideAboutKey(
    found: ReadKey<S> | null | undefined,
    { required, cost }: Demand<S>,
    isCurrent?: true,
  ): Answer<S> {
    if (found === undefined) return this.#refuse('malformed', required)
    if (found === null) return this.#refuse('unknown', required)
    const atMs = this.#context.clockMs()
    const asked = { found, required, cost, atMs }
    const status = statusAt(found.record, atMs)
    if (isShut(status)) return this.#refuseKey(status, asked)
    const plan = this.#context.planOf(found, isCurrent)
    return plan instanceof Promise
      ? plan.then((known) => this.#decideByPlan(known, asked))
      : this.#decideByPlan(plan, asked)
  }

  #decideByPlan({ publicApi, rateLimit }: Plan, asked: Asked<S>): Answer<S> {
    if (!publicApi) return this.#refuseKey('plan_required', asked)
    const { found, required, cost, atMs } = asked
    const { record, key, accepted } = found
    if (required !== null && !isMet(required, key.scopes)) {
      return this.#refuseScope(required, record, atMs)
    }
    const { limits } = this.#context.settings
    if (limits === null) return this.#counted(accepted, asked)
    const request = { key, requirement: required, cost, rateLimit }
    const limited = this.#limited(accepted, limits, request)
    return limited instanceof Promise
      ? limited.then((answer) => this.#counted(answer, asked))
      : this.#counted(limited, asked)
  }

  #counted(answer: Authentication<S>, { found, atMs }: Asked<S>): Authentication<S> {
    if (answer.ok) this.#usage.count(found, atMs)
    else this.#usage.countDenial(found.record.id, 'rate_limited', atMs)
    return answer
  }

  /** The key that another system issued; `undefined` for a text in no known format. */
  #foreignKey(text: string | null) {
    const { foreign } = this.#context
    return text === null || foreign === null ? undefined : foreign.find(text, this.#source)
  }

  /** Asks the limiter about a request that has passed every other check. */
  #limited(
    accepted: Accepted<S>,
    limits: LimiterSettings,
    request: LimiterRequest & { readonly requirement: Requirement<S> },
  ): Answer<S> {
    // Read before the limiter, which may change its request.
    const { requirement } = request
    const answer = askLimiter(this.#context, limits, request)
    return answer instanceof Promise
      ? answer.then((told) => this.#withLimits(accepted, requirement, told))
      : this.#withLimits(accepted, requirement, answer)
  }

  #withLimits(
    accepted: Accepted<S>,
    required: Requirement<S>,
    answer: LimiterAnswer,
  ): Authentication<S> {
    if (!answer.allowed) return this.#refuseCall(accepted.key, required, answer)
    const { policies: limits } = answer
    return limits === undefined ? accepted : Object.freeze({ ok: true, key: accepted.key, limits })
  }

  #refuse(reason: AnonymousReason, required: Requirement<S>): Denial<S> {
    this.#announce(reason, required, null)
    return Object.freeze({ ok: false, reason })
  }

  #refuseKey(reason: KeyReason, { found: { record }, required, atMs }: Asked<S>): Denial<S> {
    this.#usage.countDenial(record.id, reason, atMs)
    this.#announce(reason, required, record)
    return Object.freeze({ ok: false, reason, keyId: record.id })
  }

  #refuseScope(requirement: ScopeRequirement<S>, key: Named, atMs: number): Denial<S> {
    this.#usage.countDenial(key.id, 'insufficient_scope', atMs)
    this.#announce('insufficient_scope', requirement, key)
    return Object.freeze({ ok: false, reason: 'insufficient_scope', keyId: key.id, requirement })
  }

  #refuseCall(key: AuthenticatedKey<S>, required: Requirement<S>, answer: Refused): Denial<S> {
    const { retryAfterMs, policies: limits = [] } = answer
    this.#announce('rate_limited', required, key)
    return Object.freeze({ ok: false, reason: 'rate_limited', keyId: key.id, retryAfterMs, limits })
  }

  #announce(reason: DenialReason, requirement: Requirement<S>, key: Named | null): void {
    const { onEvent } = this.#context.settings
    onEvent?.({
      type: 'authentication.denied',
      at: new Date(this.#context.clockMs()),
      reason,
      requirement,
      keyId: key?.id ?? null,
      workspaceId: key?.workspaceId ?? null,
    })
  }
}

/** Whether keys with this status are refused. Each such status is the reason for a denial. */
function isShut(status: KeyStatus): status is 'revoked' | 'expired' | 'paused' {
  return status !== 'active' && status !== 'retiring'
}
