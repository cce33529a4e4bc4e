import type { Step, Workspace } from '../changes/change.ts'
import type { Context } from '../context.ts'
import { newEvent, textOf } from '../events/new-event.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { ApiKey } from '../model/key.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { rotatedName } from '../model/name.ts'
import { MIN_LIFETIME_S, type Plan } from '../plans/entitlements.ts'
import { takeCeiling } from '../restrictions/grant.ts'
import { assertChangeable, assertLasting, roomBeforeEnd } from './changeable.ts'
import { type IssuedKey, issue, latestExpiry, newExpiry } from './create-key.ts'
import { LATEST_INSTANT_MS } from './input/instants.ts'
import { type Problem, parseInput, refuseField } from './input/parse.ts'
import type { Parsed } from './input/schemas.ts'
import { changeKey, type GrantingAction } from './make-change.ts'

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

export async function rotateKey<S extends string>(
  context: Context<S>,
  input: RotateKeyInput<S>,
): Promise<RotatedKey<S>> {
  const { ceiling, given } = takeCeiling(input, context.settings)
  const { workspaceId, id, ...rotation } = parseInput(context.schemas.rotate, given)
  const limitOf = ({ activeKeyLimit }: Plan) =>
    rotation.overlapSeconds > 0 ? activeKeyLimit : null
  const change = { operation: 'rotateKey', workspaceId, id, limitOf }
  return changeKey(context, change, (key, { workspace, plan, calledAtMs }) => {
    const { record: current } = key
    const { records } = context
    if (ceiling !== null) {
      assertChangeable(current, workspace.atMs)
      ceiling.assert({ ...current, scopes: records.scopes(current) })
    }
    if (plan === null) return null
    if (!plan.publicApi) throw new ApiKeyError('plan_required')
    assertChangeable(current, workspace.atMs)
    assertLasting(current, workspace.atMs)
    assertOverlap(current, plan, rotation.overlapSeconds)
    const { old, replacement, secret } = rotated(context, current, {
      ...rotation,
      plan,
      calledAtMs,
    })
    const event = newEvent(
      'api_key.rotated',
      current,
      { actor: rotation.actor, atMs: calledAtMs },
      {
        replacementId: replacement.id,
        replacementPrefix: replacement.prefix,
        replacementScopes: replacement.scopes,
        overlapEndsAt: textOf(old.retiresAtMs),
      },
    )
    const answer: RotatedKey<S> = Object.freeze({
      key: records.newKey(replacement),
      secret,
      replaced: records.key({ ...key, record: old }, calledAtMs),
    })
    const step = { keys: [old, replacement], events: [event] }
    return { answer, step: { ...step, ...growthOf(workspace, current, { plan, old }) } }
  })
}

function assertOverlap(
  { pausedAtMs }: KeyRecord,
  { maxOverlapSeconds }: Plan,
  overlapSeconds: number,
): void {
  const path = ['overlapSeconds']
  if (overlapSeconds > maxOverlapSeconds) {
    refuseField(path, { code: 'out_of_range', message: `must be at most ${maxOverlapSeconds}.` })
  }
  if (overlapSeconds > 0 && pausedAtMs !== null) {
    refuseField(path, { code: 'invalid_value', message: 'must be 0 for a paused key.' })
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

function rotated<S extends string>(
  context: Context<S>,
  current: KeyRecord,
  rotation: Rotation & { readonly plan: Plan; readonly calledAtMs: number },
) {
  const { plan, calledAtMs, overlapSeconds, expiresAt } = rotation
  const { workspaceId, creator, environment, note, resources, networks, metadata } = current
  const scopes = context.records.scopes(current)
  if (scopes.length === 0) refuseField(['id'], WITHOUT_SCOPES)
  const { record: replacement, secret } = issue(context.settings, {
    ...{ workspaceId, creator, environment, note, resources, networks, metadata },
    createdAtMs: calledAtMs,
    expiresAtMs:
      expiresAt === undefined
        ? sameLifetime(current, plan, calledAtMs)
        : newExpiry(plan, calledAtMs, expiresAt),
    name: rotatedName(current.name),
    scopes,
    replaces: current.id,
  })
  const retiresAtMs = overlapSeconds === 0 ? null : overlapEnd(current, calledAtMs, overlapSeconds)
  const old: KeyRecord = {
    ...current,
    ...(retiresAtMs === null ? { revokedAtMs: calledAtMs } : { retiresAtMs }),
    noticeAtMs: retiresAtMs,
    replacedBy: replacement.id,
    version: current.version + 1,
    updatedAtMs: calledAtMs,
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

const WITHOUT_SCOPES: Problem = {
  code: 'unknown_scope',
  message: 'none of the scopes of this key is in the catalogue any more.',
}
