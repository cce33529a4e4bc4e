import { confirmationOf } from '../changes/change.ts'
import type { Context } from '../context.ts'
import { updateEvent } from '../events/new-event.ts'
import { defined, isSame } from '../lib/values.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { Grantable } from '../model/grant.ts'
import type { ApiKey, KeyNetworks, KeyResources } from '../model/key.ts'
import { type KeyState, stateOf } from '../model/key-fields.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { nextNoticeAt } from '../model/status.ts'
import type { Plan } from '../plans/entitlements.ts'
import { isWithin, takeCeiling } from '../restrictions/grant.ts'
import {
  assertChangeable,
  assertLasting,
  isLaterThan,
  onlyNarrows,
  roomBeforeEnd,
  widens,
} from './changeable.ts'
import { lifetimeProblem } from './create-key.ts'
import { soonProblem } from './input/instants.ts'
import { changedMetadata, type MetadataChange, sizeProblem } from './input/metadata.ts'
import { parseInput, refuseField } from './input/parse.ts'
import { restrictedTo } from './input/restrictions.ts'
import type { Parsed } from './input/schemas.ts'
import { changeKey, type KeyAction } from './make-change.ts'

/** The fields of a key that can be changed. Those left out stay as they are. */
export interface KeyChanges<S extends string = string> {
  /** The new name: 1 to 120 Unicode code points after trimming. */
  readonly name?: string | undefined
  /** All scopes that the key is to have; those that are not named are taken away. */
  readonly scopes?: readonly S[] | undefined
  /**
   * When the key is to expire: at least 60 seconds ahead, or as before; `null` for never. In its last second
   * a key cannot be given more time (`key_expired`).
   */
  readonly expiresAt?: Date | null | undefined
  /** The new note: up to 200 Unicode code points after trimming; `null` or empty removes it. */
  readonly note?: string | null | undefined
  /** For each type to change, all that the key is to reach: `'all'` or ids. Types left out stay. */
  readonly resources?: KeyResources | undefined
  /** All networks that the key may be used from, or `'any'`. */
  readonly networks?: KeyNetworks | undefined
  /** Entries to set, by name; `null` removes one. Entries that are not named stay. */
  readonly metadata?: Readonly<Record<string, string | null>> | undefined
}

/** Which key to update, who does it, and what is to change. @inline */
export interface UpdateKeyInput<S extends string = string> extends KeyAction {
  /** The `version` of the key that the change was made for. */
  readonly version: number
  /** What is to change. */
  readonly change: KeyChanges<S>
  /**
   * What the actor may give. A change that widens the key is allowed only if the whole key is within it
   * afterwards. Default: everything.
   */
  readonly grantable?: Grantable<S>
}

export async function updateKey<S extends string>(
  context: Context<S>,
  input: UpdateKeyInput<S>,
): Promise<ApiKey<S>> {
  const { ceiling, given } = takeCeiling(input, context.settings)
  const { actor, version, change, ...key } = parseInput(context.schemas.update, given)
  const operation = 'updateKey'
  return changeKey(context, { operation, ...key }, ({ record: current, usage }, by) => {
    const { workspace, plan, calledAtMs } = by
    const { atMs } = workspace
    const view = (record: KeyRecord, atMs: number) =>
      context.records.key({ record, usage }, atMs, isWithin(ceiling))
    const state = changedState(context, current, change)
    assertChangeable(current, atMs, onlyNarrows(current, state))
    if (current.version !== version) throw new ApiKeyError('stale', { key: view(current, atMs) })
    assertExpiry(current, state, atMs)
    if (isSame(stateOf(current), state)) {
      return { answer: view(current, atMs), step: confirmationOf(current) }
    }
    if (widens(current, state)) {
      ceiling?.assert({ ...current, ...state })
      if (plan === null) return null
      assertAllowed(plan, current, state)
    }
    const record = changed(current, state, calledAtMs)
    const event = updateEvent(current, state, { actor, atMs: calledAtMs })
    const growth = isLaterThan(current, state.expiresAtMs)
      ? { adds: 1, ...roomBeforeEnd(current, atMs) }
      : {}
    const step = { keys: [record], events: [event], ...growth }
    return { answer: view(record, calledAtMs), step }
  })
}

export function changed(current: KeyRecord, state: KeyState, updatedAtMs: number): KeyRecord {
  const record = { ...current, ...state, version: current.version + 1, updatedAtMs }
  const hasNewEnd = state.expiresAtMs !== current.expiresAtMs
  return hasNewEnd ? { ...record, noticeAtMs: nextNoticeAt(record, updatedAtMs) } : record
}

function changedState<S extends string>(
  context: Context<S>,
  current: KeyRecord,
  { scopes, expiresAt, resources, metadata, ...change }: Parsed<'change'>,
): KeyState {
  return {
    ...stateOf(current),
    ...defined(change),
    // Scopes that the catalogue has lost do not count as a difference.
    ...(scopes === undefined || isSame(scopes, context.records.scopes(current)) ? {} : { scopes }),
    ...(expiresAt === undefined ? {} : { expiresAtMs: expiresAt?.getTime() ?? null }),
    ...(resources && {
      resources: restrictedTo(current.resources, resources, ['change', 'resources']),
    }),
    ...(metadata && { metadata: metadataAfter(current, metadata) }),
  }
}

function assertExpiry(current: KeyRecord, { expiresAtMs }: KeyState, atMs: number): void {
  const isNew = expiresAtMs !== null && expiresAtMs !== current.expiresAtMs
  refuseField(['change', 'expiresAt'], isNew ? soonProblem(expiresAtMs, atMs) : null)
  if (isLaterThan(current, expiresAtMs)) assertLasting(current, atMs)
}

function metadataAfter(current: KeyRecord, change: MetadataChange): KeyState['metadata'] {
  const metadata = changedMetadata(current.metadata, change)
  refuseField(['change', 'metadata'], sizeProblem(metadata))
  return metadata
}

/** Throws unless the plan allows what a key could do more, or for longer, than it can now. */
function assertAllowed(plan: Plan, current: KeyRecord, { expiresAtMs }: KeyState): void {
  if (!plan.publicApi) throw new ApiKeyError('plan_required')
  if (!isLaterThan(current, expiresAtMs)) return
  refuseField(['change', 'expiresAt'], lifetimeProblem(plan, current.createdAtMs, expiresAtMs))
}
