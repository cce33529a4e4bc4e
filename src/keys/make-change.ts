import type { Change, Decision, Workspace } from '../changes/change.ts'
import type { Context } from '../context.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { Grantable } from '../model/grant.ts'
import type { Person } from '../model/key.ts'
import type { Plan } from '../plans/entitlements.ts'
import type { HeldKey } from '../storage/contract.ts'
import { assertKeyId } from './get-key.ts'

/** Makes one of many changes and announces it. {@link waitForWorkspace} is to follow. */
export async function makeOne<S extends string, T>(
  context: Context<S>,
  change: Change<T>,
): Promise<T> {
  const { answer, step } = await context.changes.make(change)
  for (const event of step?.events ?? []) context.announce(event)
  for (const { hash } of step?.keys ?? []) context.caches.forget(hash)
  return answer
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

interface KeyChange extends Omit<KeyAction, 'actor'> {
  readonly operation: string
  /** Counts the keys of the workspace for a limit of the plan. */
  readonly limitOf?: (plan: Plan) => number | null
}

interface Deciding {
  readonly workspace: Workspace
  /** `null` as long as no decision has needed it. */
  readonly plan: Plan | null
  readonly calledAtMs: number
}

/** The answer where the plan is needed and is not there. */
const PLAN_NEEDED = Object.freeze({ answer: null, step: null })

/**
 * Changes one key, announces the change, and waits until no process answers as before. When `decide` returns `null`, it
 * needs the plan of the workspace: the plan is read, and `decide` runs again. Throws `key_not_found`.
 */
export async function changeKey<S extends string, T extends object>(
  context: Context<S>,
  { operation, workspaceId, id, limitOf = () => null }: KeyChange,
  decide: (key: HeldKey, by: Deciding) => Decision<T> | null,
): Promise<T> {
  assertKeyId(id)
  const make = async (plan: Plan | null): Promise<T | null> => {
    const calledAtMs = context.calls.clockMs()
    const { answer, step, isLogged } = await context.changes.make<T | null>({
      operation,
      workspaceId,
      ids: [id],
      limit: plan && limitOf(plan),
      decide: (workspace) => {
        const key = workspace.key(id)
        if (key === undefined) throw new ApiKeyError('key_not_found')
        return decide(key, { workspace, plan, calledAtMs }) ?? PLAN_NEEDED
      },
    })
    if (step === null) return answer
    for (const event of step.events) context.announce(event)
    const { keys, seen = [] } = step
    await context.caches.wait([...keys.map(({ hash }) => hash), ...seen], isLogged)
    return answer
  }
  return (await make(null)) ?? ((await make(await context.plans.fresh(workspaceId))) as T)
}

/** Which key to change, and who does it. @inline */
export interface KeyAction {
  /** The workspace of the key; a key of another one is not found. */
  readonly workspaceId: string
  /** The id of the key, not its secret or prefix. */
  readonly id: string
  /** Who does it: the actor of the audit event. */
  readonly actor: Person
}

/** A change that makes a key live. @inline */
export interface GrantingAction<S extends string = string> extends KeyAction {
  /** What the actor may give: the whole key must be within it afterwards. Default: everything. */
  readonly grantable?: Grantable<S>
}
