import type { Context } from '../context.ts'
import { updateEvent } from '../events/new-event.ts'
import { defined } from '../lib/defined.ts'
import { isSame } from '../lib/is-same.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { Grantable } from '../model/grant.ts'
import type { ApiKey, KeyNetworks, KeyResources, Person } from '../model/key.ts'
import { type KeyState, stateOf } from '../model/key-fields.ts'
import type { StoredKey } from '../model/key-record.ts'
import { isWithin, takeCeiling } from '../restrictions/grant.ts'
import { assertChangeable } from './changeable.ts'
import { findKey } from './find-key.ts'
import { soonProblem } from './input/expiry.ts'
import { invalidField } from './input/invalid-field.ts'
import { changedMetadata, type MetadataChange, sizeProblem } from './input/metadata.ts'
import { parseInput } from './input/parse.ts'
import { idsProblem, restrictedTo } from './input/resources.ts'
import type { Parsed } from './input/schemas.ts'
import { lifetimeProblem } from './lifetime.ts'
import { storeUpdate } from './store-update.ts'
import { isLaterThan, onlyNarrows, widens } from './widening.ts'

/** The fields of a key that can be changed. Those left out stay as they are. */
export interface KeyChanges<S extends string = string> {
  /** The new name: 1 to 120 Unicode code points after trimming. */
  readonly name?: string | undefined
  /** All scopes that the key is to have; those that are not named are taken away. */
  readonly scopes?: readonly S[] | undefined
  /**
   * When the key is to expire: at least 60 seconds ahead, or as before; `null` for never. In its last
   * second a key cannot be given more time (`key_expired`).
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

/**
 * Which key to update, who does it, and what is to change.
 *
 * @inline
 */
export interface UpdateKeyInput<S extends string = string> {
  /** The workspace of the key; a key of another one is not found. */
  readonly workspaceId: string
  /** The id of the key, not its secret or prefix. */
  readonly id: string
  /** Who does it: the actor of the audit event. */
  readonly actor: Person
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

/** Changes a key if it is at the version that the caller has seen. */
export async function updateKey<S extends string>(
  context: Context<S>,
  input: UpdateKeyInput<S>,
): Promise<ApiKey<S>> {
  const { ceiling, given } = takeCeiling(input, context.settings)
  const { actor, version, change, ...query } = parseInput(context.schemas.update, given)
  const current = await findKey(context, query)
  const foundAtMs = context.calls.clockMs()
  const state = changedState(context, current, change)
  const isNarrowing = onlyNarrows(current, state)
  assertChangeable(current, foundAtMs, isNarrowing)
  if (current.version !== version)
    throw stale(context.records.key(current, foundAtMs, isWithin(ceiling)))
  assertExpiry(current, state, foundAtMs)
  if (isSame(stateOf(current), state)) {
    await context.caches.waitForEarlier(current)
    return context.records.key(current, foundAtMs, isWithin(ceiling))
  }
  if (widens(current, state)) ceiling?.assert({ ...current, ...state })
  await assertAllowed(context, current, state)
  const updatedAtMs = context.calls.clockMs()
  // The key may have expired while the host was looking up the plan.
  assertChangeable(current, updatedAtMs, isNarrowing)
  const event = updateEvent(current, state, { actor, atMs: updatedAtMs })
  const stored = await storeUpdate(context, { current, state, updatedAtMs, event, isNarrowing })
  if (stored.isStored) return context.records.key(stored.record, updatedAtMs, isWithin(ceiling))
  assertChangeable(stored.record, updatedAtMs, isNarrowing)
  throw stale(context.records.key(stored.record, updatedAtMs, isWithin(ceiling)))
}

function stale(key: ApiKey): ApiKeyError {
  return new ApiKeyError('stale', { key })
}

function changedState<S extends string>(
  context: Context<S>,
  current: StoredKey,
  { scopes, expiresAt, resources, metadata, ...change }: Parsed<'change'>,
): KeyState {
  return {
    ...stateOf(current),
    ...defined(change),
    // Scopes that the catalogue has lost do not count as a difference.
    ...(scopes === undefined || isSame(scopes, context.records.scopes(current)) ? {} : { scopes }),
    ...(expiresAt === undefined ? {} : { expiresAtMs: expiresAt?.getTime() ?? null }),
    ...(resources === undefined ? {} : { resources: resourcesAfter(current, resources) }),
    ...(metadata === undefined ? {} : { metadata: metadataAfter(current, metadata) }),
  }
}

/** Throws unless a new expiry is far enough ahead. */
function assertExpiry(current: StoredKey, { expiresAtMs }: KeyState, atMs: number): void {
  if (expiresAtMs === null || expiresAtMs === current.expiresAtMs) return
  const problem = soonProblem(expiresAtMs, atMs)
  if (problem !== null) throw invalidField(['change', 'expiresAt'], problem)
}

function resourcesAfter(current: StoredKey, change: KeyResources): KeyState['resources'] {
  const resources = restrictedTo(current.resources, change)
  const problem = idsProblem(resources)
  if (problem !== null) throw invalidField(['change', 'resources'], problem)
  return resources
}

function metadataAfter(current: StoredKey, change: MetadataChange): KeyState['metadata'] {
  const metadata = changedMetadata(current.metadata, change)
  const problem = sizeProblem(metadata)
  if (problem !== null) throw invalidField(['change', 'metadata'], problem)
  return metadata
}

/** Throws unless the plan allows what a key could do more, or for longer, than it can now. */
async function assertAllowed<S extends string>(
  context: Context<S>,
  current: StoredKey,
  state: KeyState,
): Promise<void> {
  if (!widens(current, state)) return
  const { expiresAtMs } = state
  const isLater = isLaterThan(current, expiresAtMs)
  const plan = await context.plans.fresh(current.workspaceId)
  if (!plan.publicApi) throw new ApiKeyError('plan_required')
  const problem = isLater ? lifetimeProblem(plan, current.createdAtMs, expiresAtMs) : null
  if (problem !== null) throw invalidField(['change', 'expiresAt'], problem)
}
