import type { Context } from '../context.ts'
import { nextTurn } from '../lib/next-turn.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { Person } from '../model/key.ts'
import type { StoredKey } from '../model/key-record.ts'
import { findKey } from './find-key.ts'
import { parseInput } from './input/parse.ts'
import { type FoundPage, readPage } from './read-page.ts'
import { updateKey } from './update-key.ts'

/** How many keys are read at a time. */
const STEP = 200

/** How often a key is read again when others change it at the same time. */
const MAX_ATTEMPTS = 20

/**
 * Which resource to take out of all keys of a workspace, and who does it.
 *
 * @inline
 */
export interface RemoveResourceInput {
  /** Whose keys. */
  readonly workspaceId: string
  /** Who does it: the actor of each audit event. */
  readonly actor: Person
  /** The resource that is gone: `{ type: id }`. A list that is empty afterwards stays empty. */
  readonly resource: Readonly<Record<string, string>>
}

/**
 * What `removeResource` did.
 *
 * @inline
 */
export type RemovedResource = {
  /** How many keys were changed. */
  readonly updated: number
}

/**
 * Takes a resource out of every key that lists it, retiring ones too, each in a step of its own. It can be
 * called again at any time, also after a crash.
 */
export async function removeResource<S extends string>(
  context: Context<S>,
  input: RemoveResourceInput,
): Promise<RemovedResource> {
  const { workspaceId, actor, resource } = parseInput(context.schemas.removeResource, input)
  const { type, id } = resource
  let [updated, after]: [number, string | null] = [0, null]
  do {
    const page: FoundPage | null = await readPage(context, workspaceId, {
      status: ['active', 'paused', 'retiring'],
      environment: null,
      resource: { type, id, match: 'reaches' },
      search: undefined,
      atMs: context.calls.clockMs(),
      after,
      limit: STEP,
    })
    for (const record of page?.records ?? []) {
      if (await remove(context, record, { actor, type, id })) updated += 1
    }
    after = page?.after ?? null
    await nextTurn()
  } while (after !== null)
  // For the keys that another call changed, which may have been killed before it waited.
  await context.caches.waitForWorkspace(workspaceId)
  return Object.freeze({ updated })
}

/** Whether the resource was taken out of the key: not of one that has ended meanwhile. */
async function remove<S extends string>(
  context: Context<S>,
  record: StoredKey,
  { actor, type, id }: { readonly actor: Person; readonly type: string; readonly id: string },
): Promise<boolean> {
  const key = { workspaceId: record.workspaceId, id: record.id }
  let current = record
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const ids = current.resources[type]
    if (!ids?.includes(id)) return false
    const change = { resources: { [type]: ids.filter((one) => one !== id) } }
    try {
      await updateKey(context, { ...key, actor, version: current.version, change })
      return true
    } catch (error) {
      if (!(error instanceof ApiKeyError)) throw error
      // Whatever else is refused has ended: taking an id away needs no plan and no grant.
      if (error.code !== 'stale') return false
      current = await findKey(context, key)
    }
  }
  throw new ApiKeyError('conflict')
}
