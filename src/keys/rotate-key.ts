import type { Context } from '../context.ts'
import { rotationEvent } from '../events/new-event.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { ApiKey } from '../model/key.ts'
import { carriedOf } from '../model/key-fields.ts'
import type { StoredKey } from '../model/key-record.ts'
import { rotatedName } from '../model/rotated-name.ts'
import { MIN_LIFETIME_S, type Plan } from '../plans/entitlements.ts'
import { type Ceiling, takeCeiling } from '../restrictions/grant.ts'
import { rotateAnswer } from '../storage/answers.ts'
import type { RotateChange, RotateOutcome } from '../storage/contract.ts'
import { assertChangeable } from './changeable.ts'
import type { IssuedKey } from './create-key.ts'
import { findKey } from './find-key.ts'
import { LATEST_INSTANT_MS } from './input/instant.ts'
import { invalidField } from './input/invalid-field.ts'
import { parseInput } from './input/parse.ts'
import type { Parsed } from './input/schemas.ts'
import { issue } from './issue.ts'
import type { GrantingAction } from './key-action.ts'
import { latestExpiry, newExpiry } from './lifetime.ts'

/** How often the key is read again when others change it at the same time. */
const MAX_ATTEMPTS = 4

/**
 * How a key is rotated.
 *
 * @inline
 */
export interface RotationFields {
  /**
   * For how many seconds the old key keeps working: 0 to the plan's `maxOverlapSeconds`, and never
   * beyond the old key's own expiry. Default 0: the old key stops at once.
   */
  readonly overlapSeconds?: number | undefined
  /**
   * When the new key expires: at least 60 seconds ahead; `null` for never. Default: after a lifetime
   * as long as the old key's, within the plan.
   */
  readonly expiresAt?: Date | null | undefined
}

/**
 * Which key to rotate, who does it, and how.
 *
 * @inline
 */
export interface RotateKeyInput<S extends string = string>
  extends GrantingAction<S>,
    RotationFields {}

/**
 * The replacement, its secret, and the key it replaced.
 *
 * @inline
 */
export type RotatedKey<S extends string = string> = {
  /** The new key, as it is safe to show. */
  readonly key: ApiKey<S>
  /** What the caller sends, as in {@link IssuedKey}. */
  readonly secret: string
  /** The old key as it stands now: revoked, or retiring with an overlap. */
  readonly replaced: ApiKey<S>
}

type Rotation = Omit<Parsed<'rotate'>, 'workspaceId' | 'id'>

/** Issues the replacement of an active or paused key and ends the old key, in one step. */
export async function rotateKey<S extends string>(
  context: Context<S>,
  input: RotateKeyInput<S>,
): Promise<RotatedKey<S>> {
  const { ceiling, given } = takeCeiling(input, context.settings)
  const { workspaceId, id, ...rotation } = parseInput(context.schemas.rotate, given)
  let current = await findKey(context, { workspaceId, id })
  assertGrantable(context, current, ceiling)
  const plan = await context.plans.fresh(workspaceId)
  if (!plan.publicApi) throw new ApiKeyError('plan_required')
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    assertRotatable(current, plan, { ...rotation, atMs: context.calls.clockMs() })
    const { change, secret } = changeFor(context, current, { ...rotation, plan })
    const result = await store(context, change)
    if (result.outcome === 'rotated') {
      context.announce(change.event)
      await context.caches.wait(result.replaced.hash, result)
      return rotatedKey(context, result, secret)
    }
    if (result.outcome !== 'stale') throw refusal(result)
    // What a replacement is made of may have changed.
    current = result.record
    assertGrantable(context, current, ceiling)
  }
  throw new ApiKeyError('conflict')
}

/** Throws unless the caller may give what the replacement will have. */
function assertGrantable<S extends string>(
  { calls, records }: Context<S>,
  current: StoredKey,
  ceiling: Ceiling | null,
): void {
  if (ceiling === null) return
  assertChangeable(current, calls.clockMs())
  ceiling.assert({ ...current, scopes: records.scopes(current) })
}

/** Throws unless this key can be rotated this way. */
function assertRotatable(
  current: StoredKey,
  { maxOverlapSeconds }: Plan,
  { overlapSeconds, atMs }: Rotation & { readonly atMs: number },
): void {
  assertChangeable(current, atMs)
  if (overlapSeconds > maxOverlapSeconds) {
    const message = `must be at most ${maxOverlapSeconds}.`
    throw invalidField(['overlapSeconds'], { code: 'out_of_range', message })
  }
  if (overlapSeconds > 0 && current.pausedAtMs !== null) {
    const message = 'must be 0 for a paused key.'
    throw invalidField(['overlapSeconds'], { code: 'invalid_value', message })
  }
}

function changeFor<S extends string>(
  context: Context<S>,
  current: StoredKey,
  { actor, overlapSeconds, expiresAt, plan }: Rotation & { readonly plan: Plan },
): { readonly change: RotateChange; readonly secret: string } {
  const { record: replacement, secret } = replacementOf(context, current, (createdAtMs) => ({
    expiresAtMs:
      expiresAt === undefined
        ? sameLifetime(current, plan, createdAtMs)
        : newExpiry(plan, createdAtMs, expiresAt),
  }))
  const { createdAtMs: rotatedAtMs } = replacement
  const retiresAtMs = overlapSeconds === 0 ? null : overlapEnd(current, rotatedAtMs, overlapSeconds)
  const change = {
    workspaceId: current.workspaceId,
    id: current.id,
    version: current.version,
    rotatedAtMs,
    retiresAtMs,
    retiringLimit: plan.activeKeyLimit,
    replacement,
    event: rotationEvent(current, replacement, { actor, overlapEndsAtMs: retiresAtMs }),
  }
  return { change, secret }
}

/** The old key ends with its overlap, and never later than it would have ended anyway. */
function overlapEnd({ expiresAtMs }: StoredKey, atMs: number, overlapSeconds: number): number {
  return Math.min(atMs + overlapSeconds * 1_000, expiresAtMs ?? Infinity)
}

/** The expiry of a replacement that lives as long as the old key was made to, within the plan. */
function sameLifetime(old: StoredKey, plan: Plan, createdAtMs: number): number | null {
  const latestMs = latestExpiry(plan, createdAtMs)
  if (old.expiresAtMs === null) return latestMs
  // Clocks may differ: a key may seem to have expired before it was created.
  const lifetimeMs = Math.max(old.expiresAtMs - old.createdAtMs, MIN_LIFETIME_S * 1_000)
  return Math.min(createdAtMs + lifetimeMs, latestMs ?? LATEST_INSTANT_MS)
}

function replacementOf<S extends string>(
  context: Context<S>,
  current: StoredKey,
  own: (createdAtMs: number) => { readonly expiresAtMs: number | null },
) {
  const scopes = context.records.scopes(current)
  if (scopes.length === 0) throw withoutScopes()
  const createdAtMs = context.calls.clockMs()
  return issue(context.settings, {
    ...carriedOf(current),
    ...own(createdAtMs),
    createdAtMs,
    name: rotatedName(current.name),
    scopes,
    replaces: current.id,
  })
}

async function store<S extends string>(
  context: Context<S>,
  change: RotateChange,
): Promise<RotateOutcome> {
  return context.calls.run(
    'rotate',
    (call) => context.settings.storage.rotate(change, call),
    (answer) => rotateAnswer(answer, change),
  )
}

type Rotated = Extract<RotateOutcome, { readonly outcome: 'rotated' }>

function rotatedKey<S extends string>(
  { records }: Context<S>,
  { replacement, replaced }: Rotated,
  secret: string,
): RotatedKey<S> {
  const atMs = replacement.createdAtMs
  return Object.freeze({
    key: records.key(replacement, atMs),
    secret,
    replaced: records.key(replaced, atMs),
  })
}

function refusal(result: Exclude<RotateOutcome, Rotated | { readonly outcome: 'stale' }>) {
  if (result.outcome === 'not_found') return new ApiKeyError('key_not_found')
  if (result.outcome === 'expired') return new ApiKeyError('key_expired')
  const { retiringKeys } = result
  return new ApiKeyError('overlap_limit_reached', { retiringKeys })
}

function withoutScopes(): ApiKeyError {
  const message = 'none of the scopes of this key is in the catalogue any more.'
  return invalidField(['id'], { code: 'unknown_scope', message })
}
