import { sha256Hex } from '#sha256'
import type { Context } from '../context.ts'
import { foreignHashOf } from '../keys/find-key-by-secret.ts'
import { andThen } from '../lib/host-calls.ts'
import type { StorageCall } from '../lib/within-time.ts'
import { ALLOWED, askLimiter } from '../limits/limit-check.ts'
import type {
  AnonymousReason,
  Authentication,
  Denial,
  DenialReason,
  Requirement,
} from '../model/denial.ts'
import type { AuthenticatedKey, KeyStatus } from '../model/key.ts'
import type { KeyRecord, ResourceIds } from '../model/key-record.ts'
import type { LimiterAnswer, LimiterRequest } from '../model/limiter.ts'
import { statusAt } from '../model/status.ts'
import type { Plan } from '../plans/entitlements.ts'
import { isInNetworks } from '../restrictions/networks.ts'
import { type ResourceRule, reaches } from '../restrictions/resource-check.ts'
import { formTest, type SecretTest, secretTest } from '../secret/format.ts'
import { recordAnswer } from '../storage/answers.ts'
import {
  type AccessCheck,
  checkRequirement,
  type GivenText,
  isMet,
  type Surroundings,
} from './access-check.ts'
import { type ParsedCredential, parseHeader, parseSecret, SCHEME } from './credential.ts'
import { type KnownKey, keyReader } from './known-keys.ts'
import type { UsageCounter } from './usage-counter.ts'

type Named = Pick<KeyRecord, 'id' | 'workspaceId'>

/** Comes without a promise when it is known at once. */
type Answer<S extends string> = Authentication<S> | Promise<Authentication<S>>

type Found<S extends string> = KnownKey<S> | AnonymousReason

/**
 * Decides about requests and counts them. Nothing about a key is revealed before the hash of its secret has
 * matched.
 */
export class Authenticator<S extends string> {
  readonly #context: Context<S>
  readonly #usage: UsageCounter
  readonly #read: (record: KeyRecord) => KnownKey<S>
  readonly #isSecret: SecretTest
  readonly #hasForm: SecretTest

  constructor(context: Context<S>, usage: UsageCounter) {
    this.#context = context
    this.#usage = usage
    this.#read = keyReader(context.records, context.caches.own !== null)
    this.#isSecret = secretTest(context.settings.brand)
    this.#hasForm = formTest(context.settings.brand)
  }

  /** Decides from a whole `Authorization` value. */
  authenticate(header: GivenText, check: AccessCheck<S>): Answer<S> {
    const known = this.#remembered(header, SCHEME)
    return this.#authenticate(known ?? this.#find(parseHeader(header, this.#isSecret)), check)
  }

  /** Decides from a secret alone. */
  authenticateSecret(secret: GivenText, check: AccessCheck<S>): Answer<S> {
    const known = this.#remembered(secret, '')
    return this.#authenticate(known ?? this.#find(parseSecret(secret, this.#isSecret)), check)
  }

  /** Decides whether a key that has been accepted also has the scopes of a route and reaches its resources. */
  authorize(
    key: AuthenticatedKey,
    requirement: Requirement<S>,
    rule: ResourceRule | undefined,
  ): Answer<S> {
    const required = checkRequirement(this.#context.settings.catalogue, requirement)
    const request = { key, required, atMs: this.#context.calls.clockMs() }
    const refused = { ok: false, keyId: key.id } as const
    if (required !== null && !isMet(required, key.scopes)) {
      const denial = { ...refused, reason: 'insufficient_scope', requirement: required } as const
      return this.#refuseKey(denial, request)
    }
    return andThen(this.#reaches(restrictionsOf(key), rule), (isAllowed) => {
      // Only keys of this catalogue are ever accepted.
      if (isAllowed) return Object.freeze({ ok: true, key: key as AuthenticatedKey<S> })
      const denial = { ...refused, reason: 'resource_not_allowed' } as const
      return this.#refuseKey(denial, { ...request, required: null })
    })
  }

  #authenticate(found: Found<S> | Promise<Found<S>>, check: AccessCheck<S>): Answer<S> {
    const answer =
      found instanceof Promise
        ? found.then((known) => this.#answer(known, check))
        : this.#answer(found, check)
    const { onAuthentication } = this.#context.settings
    if (onAuthentication === null) return answer
    return andThen(answer, (known) => {
      onAuthentication(known)
      return known
    })
  }

  #answer(found: Found<S>, check: AccessCheck<S>): Answer<S> {
    if (typeof found === 'string') return this.refuse(found, check.required)
    return this.#answerAtOnce(found, check) ?? this.#decide(found, check)
  }

  /** The decision about one request, in the order of its reasons. */
  async #decide(found: KnownKey<S>, check: AccessCheck<S>): Promise<Authentication<S>> {
    const { required, cost, surroundings } = check
    const { key, accepted } = found
    if (!isOf(surroundings?.workspaceId, key)) return this.refuse('unknown', required)
    const request = { key, required, atMs: this.#context.calls.clockMs() }
    const refused = { ok: false, keyId: key.id } as const
    const status = statusAt(found, request.atMs)
    if (isInactive(status)) return this.#refuseKey({ ...refused, reason: status }, request)
    // To await what is known already would take a tenth of a restricted key's time.
    const isIn = this.#isInNetworks(key, surroundings)
    if (isIn !== true && !(await isIn)) {
      return this.#refuseKey({ ...refused, reason: 'network_not_allowed' }, request)
    }
    const allowed = this.#plan(key)
    const plan = allowed instanceof Promise ? await allowed : allowed
    if (!plan.publicApi) return this.#refuseKey({ ...refused, reason: 'plan_required' }, request)
    if (required !== null && !isMet(required, key.scopes)) {
      const denial = { ...refused, reason: 'insufficient_scope', requirement: required } as const
      return this.#refuseKey(denial, request)
    }
    const isReached = this.#reaches(found.resources ?? {}, surroundings?.resource)
    if (isReached !== true && !(await isReached)) {
      return this.#refuseKey({ ...refused, reason: 'resource_not_allowed' }, request)
    }
    const answer = this.#limit({ key, requirement: required, cost, rateLimit: plan.rateLimit })
    const limited = answer instanceof Promise ? await answer : answer
    const { policies: limits = [] } = limited
    if (!limited.allowed) {
      const { retryAfterMs } = limited
      const denial = { ...refused, reason: 'rate_limited', retryAfterMs } as const
      return this.#refuseKey({ ...denial, limits }, request)
    }
    this.#usage.count(key.id, 'accepted', request.atMs)
    return limited === ALLOWED ? accepted : Object.freeze({ ok: true, key, limits })
  }

  /**
   * The same for nearly every request: nothing has to be waited for and everything is allowed. `null`: decide. A
   * guarded request on Fastify takes 4 % less without promises, and one of 64 lookups at once a tenth.
   */
  #answerAtOnce(found: KnownKey<S>, check: AccessCheck<S>): Authentication<S> | null {
    const { required, cost, surroundings } = check
    const { key, accepted } = found
    if (!isOf(surroundings?.workspaceId, key)) return null
    const isLimited = this.#context.settings.limits !== null && cost > 0
    if (isLimited || key.networks !== 'any' || found.resources !== null) return null
    const atMs = this.#context.calls.clockMs()
    // The cache may answer: it has just given the key.
    const plan = this.#context.plans.remembered(key.workspaceId)
    if (isInactive(statusAt(found, atMs)) || !plan?.publicApi) return null
    if (required !== null && !isMet(required, key.scopes)) return null
    this.#usage.count(key.id, 'accepted', atMs)
    return accepted
  }

  /**
   * Finds a cached key before the checksum of its secret is computed, which would be a fifth of the call. What
   * has the hash of a key is its secret, so the checksum would be right.
   */
  #remembered(text: GivenText, scheme: string): KnownKey<S> | null {
    const { own } = this.#context.caches
    if (own === null || !text?.startsWith(scheme) || !this.#hasForm(text, scheme.length))
      return null
    return own.remembered(sha256Hex(text.slice(scheme.length)))
  }

  #find(parsed: ParsedCredential): Found<S> | Promise<Found<S>> {
    if (parsed.secret !== null) return this.#findByHash(sha256Hex(parsed.secret))
    return parsed.reason === 'malformed' && parsed.other !== null
      ? this.#findForeign(parsed.other)
      : parsed.reason
  }

  async #findForeign(text: string): Promise<Found<S>> {
    const hash = await foreignHashOf(this.#context, text)
    return hash === null ? 'malformed' : this.#findByHash(hash)
  }

  /** The key with a hash: every change that was answered before the call is in the answer. */
  #findByHash(hash: string): Found<S> | Promise<Found<S>> {
    const { own } = this.#context.caches
    const found = own === null ? this.#lookUp(hash) : own.find(hash, () => this.#lookUp(hash))
    return found instanceof Promise ? found.then(orUnknown) : orUnknown(found)
  }

  #lookUp(hash: string): KnownKey<S> | null | Promise<KnownKey<S> | null> {
    const { calls, settings } = this.#context
    const work = (call: StorageCall) => settings.storage.findByHash(hash, call)
    return calls.run('findByHash', work, (answer) => this.#knownOf(answer, hash))
  }

  /** Reads a key that nobody waits for: a failure is reported once, by the caller. */
  readAhead(hash: string): Promise<KnownKey<S> | null> {
    const { calls, settings } = this.#context
    const work = (call: StorageCall) => settings.storage.findByHash(hash, call)
    return calls.attempt('findByHash', work, (answer) => this.#knownOf(answer, hash))
  }

  #knownOf(answer: KeyRecord | null, hash: string): KnownKey<S> | null {
    const record = recordAnswer(answer, hash)
    return record === null ? null : this.#read(record)
  }

  /** Whether the caller is in one of the networks of a key; not where its address is unknown. */
  #isInNetworks(
    { networks }: AuthenticatedKey,
    surroundings: Surroundings | null,
  ): boolean | Promise<boolean> {
    if (networks === 'any') return true
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

  /** What the plan of a key's workspace allows: as remembered, where the cache may answer. */
  #plan({ workspaceId }: Named): Plan | Promise<Plan> {
    const { caches, plans } = this.#context
    if (caches.own?.isCurrent() === false) return plans.fresh(workspaceId)
    return plans.remembered(workspaceId) ?? plans.get(workspaceId)
  }

  #reaches(resources: ResourceIds, rule: ResourceRule | undefined): boolean | Promise<boolean> {
    const { calls, settings } = this.#context
    return reaches(resources, rule, { calls, types: settings.resources.types })
  }

  #limit(request: LimiterRequest): LimiterAnswer | Promise<LimiterAnswer> {
    const { limits } = this.#context.settings
    if (limits === null || request.cost === 0) return ALLOWED
    return askLimiter(this.#context.calls, limits, request)
  }

  /** Refuses a request without a key. */
  refuse(reason: AnonymousReason, required: Requirement<S>): Denial<S> {
    this.#announce(reason, required, null)
    return Object.freeze({ ok: false, reason })
  }

  #refuseKey(denial: KeyDenial<S>, { key, required, atMs }: KeyRequest<S>): Denial<S> {
    this.#usage.count(key.id, denial.reason, atMs)
    this.#announce(denial.reason, required, key)
    return Object.freeze(denial)
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

function orUnknown<S extends string>(found: KnownKey<S> | null): Found<S> {
  return found ?? 'unknown'
}

type KeyDenial<S extends string> = Exclude<Denial<S>, { readonly reason: AnonymousReason }>

interface KeyRequest<S extends string> {
  readonly key: AuthenticatedKey
  readonly required: Requirement<S>
  readonly atMs: number
}

const NO_ADDRESS =
  'The option "clientAddress" must name one IP address, or null if it is not known.'

export function isOf(workspaceId: string | null | undefined, key: Named): boolean {
  return (workspaceId ?? key.workspaceId) === key.workspaceId
}

function restrictionsOf({ resources }: AuthenticatedKey): ResourceIds {
  const lists = Object.entries(resources).filter(([, access]) => access !== 'all')
  return Object.fromEntries(lists) as ResourceIds
}

/** Whether keys with this status are refused. Each such status is the reason for a denial. */
function isInactive(status: KeyStatus): status is 'revoked' | 'expired' | 'paused' {
  return status !== 'active' && status !== 'retiring'
}
