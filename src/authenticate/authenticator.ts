import { sha256Hex } from '#sha256'
import type { StrictCache } from '../cache/strict-cache.ts'
import type { Context } from '../context.ts'
import { identify } from '../formats/foreign-secret.ts'
import { andThen } from '../lib/host-calls.ts'
import { askLimiter, type LimiterSettings } from '../limits/limit-check.ts'
import type {
  AnonymousReason,
  Authentication,
  Denial,
  DenialReason,
  KeyReason,
} from '../model/denial.ts'
import type { AuthenticatedKey, KeyStatus } from '../model/key.ts'
import type { KeyRecord, ResourceIds } from '../model/key-record.ts'
import type { LimiterAnswer } from '../model/limiter.ts'
import type { Requirement, ScopeRequirement } from '../model/requirement.ts'
import { statusAt } from '../model/status.ts'
import type { Plan } from '../plans/entitlements.ts'
import { isInNetworks } from '../restrictions/networks.ts'
import { type ResourceRule, reaches } from '../restrictions/resource-check.ts'
import { hasSecretForm, type SecretClassifier, secretClassifier } from '../secret/format.ts'
import { recordAnswer } from '../storage/answers.ts'
import { type AccessCheck, checkRequirement, type GivenText, isMet } from './access-check.ts'
import { type ParsedCredential, parseHeader, parseSecret, SCHEME } from './credential.ts'
import { type KnownKey, KnownKeys } from './known-keys.ts'
import type { UsageCounter } from './usage-counter.ts'

type Refused = Extract<LimiterAnswer, { readonly allowed: false }>
type Named = Pick<KeyRecord, 'id' | 'workspaceId'>

/** A request whose key is known. */
interface KeyRequest<S extends string> extends AccessCheck<S> {
  readonly found: KnownKey<S>
  readonly atMs: number
}

/** Comes without a promise when it is known at once. */
type Answer<S extends string> = Authentication<S> | Promise<Authentication<S>>

/** `undefined` for a text in no known format. */
type Found<S extends string> = KnownKey<S> | null | undefined

/** What decides beside the context. */
interface AuthenticatorParts<S extends string> {
  readonly usage: UsageCounter
  readonly cache: StrictCache<KnownKey<S>> | null
}

/**
 * Decides about one request. Each step is taken only when the one before has passed: missing,
 * invalid request, malformed, unknown, revoked, expired, paused, network, plan, scope, resource, rate
 * limit; then the use is counted. A refusal of a known key is counted apart. Nothing about a key is revealed before the
 * hash of its secret has matched.
 */
export class Authenticator<S extends string> {
  readonly #context: Context<S>
  readonly #parts: AuthenticatorParts<S>
  readonly #known: KnownKeys<S>
  readonly #classify: SecretClassifier

  constructor(context: Context<S>, parts: AuthenticatorParts<S>) {
    this.#context = context
    this.#parts = parts
    this.#known = new KnownKeys(context.records, parts.cache !== null)
    this.#classify = secretClassifier(context.settings.brand)
  }

  /** Decides from a whole `Authorization` value. */
  authenticate(header: GivenText, check: AccessCheck<S>): Answer<S> {
    return this.#report(this.#authenticate(header, check, SCHEME))
  }

  /** Decides from a secret alone. */
  authenticateSecret(secret: GivenText, check: AccessCheck<S>): Answer<S> {
    return this.#report(this.#authenticate(secret, check, ''))
  }

  /** Decides whether a key that has been accepted also has the scopes of a route and reaches its resources. */
  authorize(
    key: AuthenticatedKey,
    requirement: Requirement<S>,
    rule: ResourceRule | undefined,
  ): Answer<S> {
    const required = checkRequirement(this.#context.settings.catalogue, requirement)
    if (required !== null && !isMet(required, key.scopes)) {
      return this.#refuseScope(required, key, this.#context.calls.clockMs())
    }
    return andThen(this.#reaches(restrictionsOf(key), rule), (isAllowed) => {
      // Only keys of this catalogue are ever accepted.
      if (isAllowed) return Object.freeze({ ok: true, key: key as AuthenticatedKey<S> })
      this.#parts.usage.countDenial(key.id, 'resource_not_allowed', this.#context.calls.clockMs())
      this.#announce('resource_not_allowed', null, key)
      return Object.freeze({ ok: false, reason: 'resource_not_allowed', keyId: key.id })
    })
  }

  /**
   * Looks up a text in the form of a secret in the cache before it computes the checksum: -28 % of an
   * authentication with the cache. No other text of this form has the same hash, and the text that is
   * hashed for another system's key never has this form.
   */
  #authenticate(text: GivenText, check: AccessCheck<S>, scheme: string): Answer<S> {
    const { cache } = this.#parts
    const hash = cache === null ? null : this.#hashOfForm(text, scheme)
    const known = hash === null ? undefined : cache?.remembered(hash)
    if (known !== undefined) return this.#decide(known, check, true)
    const parse = scheme === '' ? parseSecret : parseHeader
    return this.#decideAboutText(parse(text, this.#classify), check, hash)
  }

  #hashOfForm(text: GivenText, scheme: string): string | null {
    if (!text?.startsWith(scheme)) return null
    if (!hasSecretForm(text, scheme.length, this.#context.settings.brand)) return null
    return sha256Hex(text.slice(scheme.length))
  }

  /** `hash`: of the secret, if it was computed before. */
  #decideAboutText(
    parsed: ParsedCredential,
    check: AccessCheck<S>,
    hash: string | null,
  ): Answer<S> {
    if (parsed.secret === null && parsed.reason !== 'malformed') {
      return this.#refuse(parsed.reason, check.required)
    }
    const found =
      parsed.secret === null
        ? this.#findForeign(parsed.other)
        : this.#find(hash ?? sha256Hex(parsed.secret))
    return found instanceof Promise
      ? found.then((known) => this.#decide(known, check))
      : this.#decide(found, check)
  }

  /** The key with a hash: every change that was answered before the call is in the answer. */
  #find(hash: string): KnownKey<S> | null | Promise<KnownKey<S> | null> {
    const { cache } = this.#parts
    return cache === null ? this.#read(hash) : cache.find(hash, () => this.#read(hash))
  }

  #read(hash: string): KnownKey<S> | null | Promise<KnownKey<S> | null> {
    const { calls, settings } = this.#context
    return calls.run(
      'findByHash',
      (call) => settings.storage.findByHash(hash, call),
      (answer) => this.#knownOf(answer, hash),
    )
  }

  /** Reads a key that nobody waits for: a failure is reported once, by the caller. */
  readAhead(hash: string): Promise<KnownKey<S> | null> {
    const { calls, settings } = this.#context
    return calls.attempt(
      'findByHash',
      (call) => settings.storage.findByHash(hash, call),
      (answer) => this.#knownOf(answer, hash),
    )
  }

  #knownOf(answer: KeyRecord | null, hash: string): KnownKey<S> | null {
    const record = recordAnswer(answer, hash)
    return record === null ? null : this.#known.read(record)
  }

  /** The key that another system issued. */
  #findForeign(text: string | null): Found<S> | Promise<Found<S>> {
    if (text === null) return undefined
    return andThen(identify(this.#context, text), (foreign) =>
      foreign === null ? undefined : this.#find(foreign.hash),
    )
  }

  /** `isCurrent`: the lease of the cache was checked in this turn. */
  #decide(found: Found<S>, check: AccessCheck<S>, isCurrent?: true): Answer<S> {
    const { required, cost, surroundings } = check
    if (found === undefined) return this.#refuse('malformed', required)
    if (found === null || !isOf(surroundings?.workspaceId, found)) {
      return this.#refuse('unknown', required)
    }
    const atMs = this.#context.calls.clockMs()
    const request = { found, atMs, required, cost, surroundings }
    const status = statusAt(found, atMs)
    if (isInactive(status)) return this.#refuseKey(status, request)
    if (found.key.networks === 'any') return this.#decideByPlan(request, isCurrent)
    // The lease may end while the host is waited for.
    return andThen(this.#isFromNetworks(found.key.networks, check), (isAllowed) =>
      isAllowed ? this.#decideByPlan(request) : this.#refuseKey('network_not_allowed', request),
    )
  }

  /** Whether the caller is in one of these networks; not where its address is unknown. */
  #isFromNetworks(networks: readonly string[], { surroundings }: AccessCheck<S>) {
    const { calls } = this.#context
    const { clientAddress, networks: rule } = surroundings ?? {}
    if (clientAddress === undefined) return rule === 'by_caller'
    return calls.run('clientAddress', clientAddress, (address) => {
      if (address === null || address === undefined) return false
      const isIn = typeof address === 'string' ? isInNetworks(networks, address) : null
      if (isIn === null) calls.fault('clientAddress', new TypeError(NO_ADDRESS))
      return isIn === true
    })
  }

  /**
   * What the plan of a key's workspace allows: the remembered answer if it is current, otherwise a new
   * one from the host.
   */
  #planOf(known: KnownKey<S>, isCurrent = this.#parts.cache?.isCurrent() !== false) {
    const { plans } = this.#context
    const { workspaceId } = known.key
    if (!isCurrent) return plans.fresh(workspaceId)
    if (known.plan !== null && performance.now() < known.plan.expiresAtMs) {
      return known.plan.entitlements
    }
    known.plan = plans.remembered(workspaceId)
    return known.plan?.entitlements ?? plans.get(workspaceId)
  }

  // No closures where plan and key are at hand: -4 % of an authentication in memory.
  #decideByPlan(request: KeyRequest<S>, isCurrent?: true): Answer<S> {
    const plan = this.#planOf(request.found, isCurrent)
    return plan instanceof Promise
      ? plan.then((known) => this.#decideByScope(known, request))
      : this.#decideByScope(plan, request)
  }

  #decideByScope(plan: Plan, request: KeyRequest<S>): Answer<S> {
    if (!plan.publicApi) return this.#refuseKey('plan_required', request)
    const { found, required, atMs, surroundings } = request
    if (required !== null && !isMet(required, found.key.scopes)) {
      return this.#refuseScope(required, found.key, atMs)
    }
    if (found.resources === null) return this.#decideByLimit(plan, request)
    return andThen(this.#reaches(found.resources, surroundings?.resource), (isAllowed) =>
      isAllowed
        ? this.#decideByLimit(plan, request)
        : this.#refuseKey('resource_not_allowed', request),
    )
  }

  #decideByLimit(plan: Plan, request: KeyRequest<S>): Answer<S> {
    const { limits } = this.#context.settings
    if (limits === null || request.cost === 0) return this.#counted(request.found.accepted, request)
    return andThen(this.#limited(plan, limits, request), (answer) => this.#counted(answer, request))
  }

  #reaches(resources: ResourceIds, rule: ResourceRule | undefined): boolean | Promise<boolean> {
    const { calls, settings } = this.#context
    return reaches(resources, rule, { calls, types: settings.resources.types })
  }

  /** Asks the limiter about a request that has passed every other check. */
  #limited(
    { rateLimit }: Plan,
    limits: LimiterSettings,
    { found, required, cost }: KeyRequest<S>,
  ): Answer<S> {
    const { key, accepted } = found
    const request = { key, requirement: required, cost, rateLimit }
    return andThen(askLimiter(this.#context.calls, limits, request), (answer) => {
      if (!answer.allowed) return this.#refuseCall(key, required, answer)
      const { policies } = answer
      return policies === undefined ? accepted : Object.freeze({ ok: true, key, limits: policies })
    })
  }

  #counted(answer: Authentication<S>, { found, atMs }: KeyRequest<S>): Authentication<S> {
    if (answer.ok) this.#parts.usage.count(found, atMs)
    else this.#parts.usage.countDenial(found.key.id, 'rate_limited', atMs)
    return answer
  }

  #report(answer: Answer<S>): Answer<S> {
    const { onAuthentication } = this.#context.settings
    if (onAuthentication === null) return answer
    return andThen(answer, (known) => {
      onAuthentication(known)
      return known
    })
  }

  #refuse(reason: AnonymousReason, required: Requirement<S>): Denial<S> {
    this.#announce(reason, required, null)
    return Object.freeze({ ok: false, reason })
  }

  #refuseKey(reason: KeyReason, { found: { key }, required, atMs }: KeyRequest<S>): Denial<S> {
    this.#parts.usage.countDenial(key.id, reason, atMs)
    this.#announce(reason, required, key)
    return Object.freeze({ ok: false, reason, keyId: key.id })
  }

  #refuseScope(requirement: ScopeRequirement<S>, key: Named, atMs: number): Denial<S> {
    this.#parts.usage.countDenial(key.id, 'insufficient_scope', atMs)
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
      at: new Date(this.#context.calls.clockMs()),
      reason,
      requirement,
      keyId: key?.id ?? null,
      workspaceId: key?.workspaceId ?? null,
    })
  }
}

const NO_ADDRESS =
  'The option "clientAddress" must name one IP address, or null if it is not known.'

/** Whether a key is of this workspace, where one is given. */
function isOf(workspaceId: string | null | undefined, { key }: KnownKey<string>): boolean {
  return (workspaceId ?? key.workspaceId) === key.workspaceId
}

/** The ids of each type in which a key is restricted. */
function restrictionsOf({ resources }: AuthenticatedKey): ResourceIds {
  const lists = Object.entries(resources).filter(([, access]) => access !== 'all')
  return Object.fromEntries(lists) as ResourceIds
}

/** Whether keys with this status are refused. Each such status is the reason for a denial. */
function isInactive(status: KeyStatus): status is 'revoked' | 'expired' | 'paused' {
  return status !== 'active' && status !== 'retiring'
}
