import type { Context } from '../context.ts'
import { auditEvent } from '../events/new-event.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { ApiKey, Person } from '../model/key.ts'
import { type KeyState, stateOf } from '../model/key-fields.ts'
import type { StoredKey } from '../model/key-record.ts'
import { type Ceiling, isWithin, takeCeiling } from '../restrictions/grant.ts'
import { assertChangeable } from './changeable.ts'
import { findKey } from './find-key.ts'
import { parseInput } from './input/parse.ts'
import type { GrantingAction, KeyAction } from './key-action.ts'
import { storeUpdate } from './store-update.ts'

/**
 * How often the key is read again when others change it at the same time. More often than for a
 * rotation: pausing is for emergencies, and every conflict means that another change was made.
 */
const MAX_ATTEMPTS = 20

/** Stops a key until it is resumed, whatever the plan and the ceiling. */
export async function pauseKey<S extends string>(
  context: Context<S>,
  input: GrantingAction<S>,
): Promise<ApiKey<S>> {
  return setPaused(context, { ...actionIn(context, input), isPaused: true })
}

/** Lets a paused key authenticate again, if the plan includes the API. */
export async function resumeKey<S extends string>(
  context: Context<S>,
  input: GrantingAction<S>,
): Promise<ApiKey<S>> {
  return setPaused(context, { ...actionIn(context, input), isPaused: false })
}

function actionIn<S extends string>(context: Context<S>, input: GrantingAction<S>) {
  const { ceiling, given } = takeCeiling(input, context.settings)
  return { action: parseInput(context.schemas.action, given), ceiling }
}

/** A pause or its end. */
interface Pausing {
  readonly action: KeyAction
  readonly ceiling: Ceiling | null
  readonly isPaused: boolean
}

async function setPaused<S extends string>(
  context: Context<S>,
  { action, ceiling, isPaused }: Pausing,
): Promise<ApiKey<S>> {
  const { actor, ...query } = action
  let current = await findKey(context, query)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const foundAtMs = context.calls.clockMs()
    assertChangeable(current, foundAtMs)
    if (isPaused === (current.pausedAtMs !== null)) {
      await context.caches.waitForEarlier(current)
      return context.records.key(current, foundAtMs, isWithin(ceiling))
    }
    if (!isPaused) {
      ceiling?.assert(current)
      await assertPlan(context, query.workspaceId)
    }
    // Read once more: the host may have taken its time about the plan.
    const atMs = context.calls.clockMs()
    const type = isPaused ? 'api_key.paused' : 'api_key.resumed'
    const event = auditEvent(type, current, { actor, atMs })
    const state = isPaused ? paused(current, actor, atMs) : resumed(current)
    const stored = await storeUpdate(context, { current, state, updatedAtMs: atMs, event })
    if (stored.isStored) return context.records.key(stored.record, atMs, isWithin(ceiling))
    current = stored.record
  }
  throw new ApiKeyError('conflict')
}

async function assertPlan<S extends string>(context: Context<S>, workspaceId: string) {
  const { publicApi } = await context.plans.fresh(workspaceId)
  if (!publicApi) throw new ApiKeyError('plan_required')
}

function paused(current: StoredKey, { id, name }: Person, pausedAtMs: number): KeyState {
  return { ...stateOf(current), pausedAtMs, pausedBy: { id, name } }
}

function resumed(current: StoredKey): KeyState {
  return { ...stateOf(current), pausedAtMs: null, pausedBy: null }
}
