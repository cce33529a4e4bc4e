import { confirmationOf } from '../changes/change.ts'
import type { Context } from '../context.ts'
import { auditEvent } from '../events/new-event.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { ApiKey, Person } from '../model/key.ts'
import { type KeyState, stateOf } from '../model/key-fields.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { type Ceiling, isWithin, takeCeiling } from '../restrictions/grant.ts'
import type { HeldKey } from '../storage/contract.ts'
import { assertChangeable, keyIn } from './changeable.ts'
import { assertKeyId } from './get-key.ts'
import { parseInput } from './input/parse.ts'
import type { GrantingAction, KeyAction } from './key-action.ts'
import { makeChange, PLAN_NEEDED, withPlan } from './make-change.ts'
import { changed } from './update-key.ts'

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
  const { actor, workspaceId, id } = action
  assertKeyId(id)
  const view = (key: Pick<HeldKey, 'record' | 'usage'>, atMs: number) =>
    context.records.key(key, atMs, isWithin(ceiling))
  return withPlan(context, workspaceId, (plan, calledAtMs) =>
    makeChange<S, ApiKey<S> | null>(context, {
      operation: isPaused ? 'pauseKey' : 'resumeKey',
      workspaceId,
      ids: [id],
      decide: (workspace) => {
        const { atMs } = workspace
        const key = keyIn(workspace, id)
        const { record: current, usage } = key
        assertChangeable(current, atMs)
        if (isPaused === (current.pausedAtMs !== null)) {
          return { answer: view(key, atMs), step: confirmationOf(current) }
        }
        if (!isPaused) {
          ceiling?.assert(current)
          if (plan === null) return PLAN_NEEDED
          if (!plan.publicApi) throw new ApiKeyError('plan_required')
        }
        const type = isPaused ? 'api_key.paused' : 'api_key.resumed'
        const event = auditEvent(type, current, { actor, atMs: calledAtMs })
        const state = isPaused ? paused(current, actor, calledAtMs) : resumed(current)
        const record = changed(current, state, calledAtMs)
        const step = { keys: [record], events: [event] }
        return { answer: view({ record, usage }, calledAtMs), step }
      },
    }),
  )
}

function paused(current: KeyRecord, { id, name }: Person, pausedAtMs: number): KeyState {
  return { ...stateOf(current), pausedAtMs, pausedBy: { id, name } }
}

function resumed(current: KeyRecord): KeyState {
  return { ...stateOf(current), pausedAtMs: null, pausedBy: null }
}
