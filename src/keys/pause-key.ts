import { confirmationOf } from '../changes/change.ts'
import type { Context } from '../context.ts'
import { newEvent } from '../events/new-event.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { ApiKey } from '../model/key.ts'
import { stateOf } from '../model/key-fields.ts'
import { isWithin, takeCeiling } from '../restrictions/grant.ts'
import { assertChangeable } from './changeable.ts'
import { parseInput } from './input/parse.ts'
import { changeKey, type GrantingAction } from './make-change.ts'
import { changed } from './update-key.ts'

/** Pauses a key, whatever the plan and the ceiling, or resumes it. */
export async function setPaused<S extends string>(
  context: Context<S>,
  input: GrantingAction<S>,
  isPaused: boolean,
): Promise<ApiKey<S>> {
  const { ceiling, given } = takeCeiling(input, context.settings)
  const { actor, ...key } = parseInput(context.schemas.action, given)
  const operation = isPaused ? 'pauseKey' : 'resumeKey'
  return changeKey(context, { operation, ...key }, ({ record: current, usage }, by) => {
    const { workspace, plan, calledAtMs: atMs } = by
    assertChangeable(current, workspace.atMs)
    if (isPaused === (current.pausedAtMs !== null)) {
      const answer = context.records.key(
        { record: current, usage },
        workspace.atMs,
        isWithin(ceiling),
      )
      return { answer, step: confirmationOf(current) }
    }
    if (!isPaused) {
      ceiling?.assert(current)
      if (plan === null) return null
      if (!plan.publicApi) throw new ApiKeyError('plan_required')
    }
    const type = isPaused ? 'api_key.paused' : 'api_key.resumed'
    const event = newEvent(type, current, { actor, atMs }, {})
    const pause = isPaused
      ? { pausedAtMs: atMs, pausedBy: { id: actor.id, name: actor.name } }
      : { pausedAtMs: null, pausedBy: null }
    const record = changed(current, { ...stateOf(current), ...pause }, atMs)
    const answer = context.records.key({ record, usage }, atMs, isWithin(ceiling))
    return { answer, step: { keys: [record], events: [event] } }
  })
}
