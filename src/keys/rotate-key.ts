import type { Step, Workspace } from '../changes/change.ts'
import type { Context } from '../context.ts'
import { rotationEvent } from '../events/new-event.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { ApiKey } from '../model/key.ts'
import { carriedOf } from '../model/key-fields.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { rotatedName } from '../model/name.ts'
import { MIN_LIFETIME_S, type Plan } from '../plans/entitlements.ts'
import { type Ceiling, takeCeiling } from '../restrictions/grant.ts'
import { assertChangeable, assertLasting, keyIn, roomBeforeEnd } from './changeable.ts'
import type { IssuedKey } from './create-key.ts'
import { assertKeyId } from './get-key.ts'
import { LATEST_INSTANT_MS } from './input/instant.ts'
import { parseInput } from './input/parse.ts'
import { invalidField } from './input/refuse.ts'
import type { Parsed } from './input/schemas.ts'
import { issue } from './issue.ts'
import type { GrantingAction } from './key-action.ts'
import { latestExpiry, newExpiry } from './lifetime.ts'
import { makeChange, PLAN_NEEDED, withPlan } from './make-change.ts'

/** How a key is rotated. @inline */
export interface RotationFields {
  /**
   * For how many seconds the old key keeps working: 0 to the plan's `maxOverlapSeconds`, and never beyond the
   * old key's own expiry. Default 0: the old key stops at once.
   */
  readonly overlapSeconds?: number | undefined
  /**
   * When the new key expires: at least 60 seconds ahead; `null` for never. Default: after a lifetime as long
   * as the old key's, within the plan.
   */
  readonly expiresAt?: Date | null | undefined
}

/** Which key to rotate, who does it, and how. @inline */
export interface RotateKeyInput<S extends string = string>
  extends GrantingAction<S>,
    RotationFields {}

/** The replacement, its secret, and the key it replaced. @inline */
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
  assertKeyId(id)
  return withPlan(context, workspaceId, (plan, rotatedAtMs) =>
    makeChange<S, RotatedKey<S> | null>(context, {
      operation: 'rotateKey',
      workspaceId,
      ids: [id],
      limit: rotation.overlapSeconds > 0 ? (plan?.activeKeyLimit ?? null) : null,
      decide: (workspace) => {
        const key = keyIn(workspace, id)
        assertGrantable(context, key.record, { ceiling, atMs: workspace.atMs })
        if (plan === null) return PLAN_NEEDED
        if (!plan.publicApi) throw new ApiKeyError('plan_required')
        assertRotatable(key.record, plan, { ...rotation, atMs: workspace.atMs })
        const { old, replacement, secret } = rotated(context, key.record, {
          ...rotation,
          ...{ plan, rotatedAtMs },
        })
        const { retiresAtMs: overlapEndsAtMs } = old
        const { actor } = rotation
        const event = rotationEvent(key.record, replacement, { actor, overlapEndsAtMs })
        const answer: RotatedKey<S> = Object.freeze({
          key: context.records.newKey(replacement),
          secret,
          replaced: context.records.key({ ...key, record: old }, rotatedAtMs),
        })
        const step = { keys: [old, replacement], events: [event] }
        return { answer, step: { ...step, ...growthOf(workspace, key.record, { plan, old }) } }
      },
    }),
  )
}

/** Throws unless the caller may give what the replacement will have. */
function assertGrantable<S extends string>(
  { records }: Context<S>,
  current: KeyRecord,
  { ceiling, atMs }: { readonly ceiling: Ceiling | null; readonly atMs: number },
): void {
  if (ceiling === null) return
  assertChangeable(current, atMs)
  ceiling.assert({ ...current, scopes: records.scopes(current) })
}

/** Throws unless this key can be rotated this way. */
function assertRotatable(
  current: KeyRecord,
  { maxOverlapSeconds }: Plan,
  { overlapSeconds, atMs }: Rotation & { readonly atMs: number },
): void {
  assertChangeable(current, atMs)
  assertLasting(current, atMs)
  if (overlapSeconds > maxOverlapSeconds) {
    const message = `must be at most ${maxOverlapSeconds}.`
    throw invalidField(['overlapSeconds'], { code: 'out_of_range', message })
  }
  if (overlapSeconds > 0 && current.pausedAtMs !== null) {
    const message = 'must be 0 for a paused key.'
    throw invalidField(['overlapSeconds'], { code: 'invalid_value', message })
  }
}

/** What a rotation adds to the workspace. Throws where no further key may be retiring. */
function growthOf(
  { atMs, retiringKeys }: Workspace,
  current: KeyRecord,
  { plan, old }: { readonly plan: Plan; readonly old: KeyRecord },
): Pick<Step, 'adds' | 'room'> {
  const beforeEnd = roomBeforeEnd(current, atMs)
  if (old.retiresAtMs === null) return { adds: 1, ...beforeEnd }
  const { activeKeyLimit } = plan
  if (activeKeyLimit === null) return { adds: 2, ...beforeEnd }
  if (retiringKeys >= activeKeyLimit) {
    throw new ApiKeyError('overlap_limit_reached', { retiringKeys })
  }
  return { adds: 2, room: activeKeyLimit - retiringKeys - 1, ...beforeEnd }
}

/** The old key as it ends, and its replacement. */
function rotated<S extends string>(
  context: Context<S>,
  current: KeyRecord,
  {
    plan,
    rotatedAtMs,
    overlapSeconds,
    expiresAt,
  }: Rotation & { readonly plan: Plan; readonly rotatedAtMs: number },
) {
  const scopes = context.records.scopes(current)
  if (scopes.length === 0) throw withoutScopes()
  const { record: replacement, secret } = issue(context.settings, {
    ...carriedOf(current),
    createdAtMs: rotatedAtMs,
    expiresAtMs:
      expiresAt === undefined
        ? sameLifetime(current, plan, rotatedAtMs)
        : newExpiry(plan, rotatedAtMs, expiresAt),
    name: rotatedName(current.name),
    scopes,
    replaces: current.id,
  })
  const retiresAtMs = overlapSeconds === 0 ? null : overlapEnd(current, rotatedAtMs, overlapSeconds)
  const old: KeyRecord = {
    ...current,
    ...(retiresAtMs === null ? { revokedAtMs: rotatedAtMs } : { retiresAtMs }),
    noticeAtMs: retiresAtMs,
    replacedBy: replacement.id,
    version: current.version + 1,
    updatedAtMs: rotatedAtMs,
  }
  return { old, replacement, secret }
}

/** The old key ends with its overlap, and never later than it would have ended anyway. */
function overlapEnd({ expiresAtMs }: KeyRecord, atMs: number, overlapSeconds: number): number {
  return Math.min(atMs + overlapSeconds * 1_000, expiresAtMs ?? Infinity)
}

/** The expiry of a replacement that lives as long as the old key was made to, within the plan. */
function sameLifetime(old: KeyRecord, plan: Plan, createdAtMs: number): number | null {
  const latestMs = latestExpiry(plan, createdAtMs)
  if (old.expiresAtMs === null) return latestMs
  // Clocks may differ: a key may seem to have expired before it was created.
  const lifetimeMs = Math.max(old.expiresAtMs - old.createdAtMs, MIN_LIFETIME_S * 1_000)
  return Math.min(createdAtMs + lifetimeMs, latestMs ?? LATEST_INSTANT_MS)
}

function withoutScopes(): ApiKeyError {
  const message = 'none of the scopes of this key is in the catalogue any more.'
  return invalidField(['id'], { code: 'unknown_scope', message })
}
