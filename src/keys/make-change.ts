import type { Change, Step } from '../changes/change.ts'
import type { Context } from '../context.ts'
import type { Plan } from '../plans/entitlements.ts'

/** Makes a change, announces it, and waits until no process answers as before it. */
export async function makeChange<S extends string, T>(
  context: Context<S>,
  change: Change<T>,
): Promise<T> {
  const { answer, step, isLogged } = await context.changes.make(change)
  if (step !== null) {
    announce(context, step)
    const { keys, seen = [] } = step
    await context.caches.wait([...keys.map(({ hash }) => hash), ...seen], isLogged)
  }
  return answer
}

/** Announces the events of a step that was stored. */
export function announce<S extends string>({ announce }: Context<S>, { events }: Step): void {
  for (const event of events) announce(event)
}

/** Waits for the changes of a whole workspace, those of calls that were killed before they waited too. */
export async function waitForWorkspace<S extends string>(
  { changes, caches }: Context<S>,
  { operation, workspaceId }: Pick<Change<unknown>, 'operation' | 'workspaceId'>,
): Promise<void> {
  const decide = () => ({ answer: null, step: { keys: [], events: [] } })
  const { isLogged } = await changes.make({ operation, workspaceId, ids: [], decide })
  await caches.waitForAll(isLogged)
}

/** What a decision answers that needs the plan of the workspace and has none. */
export const PLAN_NEEDED = Object.freeze({ answer: null, step: null })

/** Makes a change without the plan of the workspace, and once more with it if the decision needs it. */
export async function withPlan<S extends string, T>(
  { plans, calls }: Context<S>,
  workspaceId: string,
  make: (plan: Plan | null, calledAtMs: number) => Promise<T | null>,
): Promise<T> {
  const answer = await make(null, calls.clockMs())
  if (answer !== null) return answer
  const plan = await plans.fresh(workspaceId)
  return (await make(plan, calls.clockMs())) as T
}
