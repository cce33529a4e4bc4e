import type { Context } from '../context.ts'
import { updateEvent } from '../events/new-event.ts'
import type { Person } from '../model/key.ts'
import { stateOf } from '../model/key-fields.ts'
import { matches } from '../storage/methods.ts'
import { parseInput } from './input/parse.ts'
import { type KeyAction, makeOne, waitForWorkspace } from './make-change.ts'
import { pagesOf } from './read-page.ts'
import { ANY_LIVING } from './revoke-keys.ts'
import { changed } from './update-key.ts'

/** Which resource to take out of all keys of a workspace, and who does it. @inline */
export interface RemoveResourceInput extends Omit<KeyAction, 'id'> {
  /** The resource that is gone: `{ type: id }`. A list that is empty afterwards stays empty. */
  readonly resource: Readonly<Record<string, string>>
}

/** What `removeResource` did. @inline */
export type RemovedResource = {
  /** How many keys were changed. */
  readonly updated: number
}

/**
 * Takes a resource out of every key that lists it, retiring ones too, oldest first, so that a replacement
 * made meanwhile is met later. It can be called again at any time, also after a crash.
 */
export async function removeResource<S extends string>(
  context: Context<S>,
  input: RemoveResourceInput,
): Promise<RemovedResource> {
  const { workspaceId, actor, resource } = parseInput(context.schemas.removeResource, input)
  const filters = { ...ANY_LIVING, atMs: context.calls.clockMs() }
  const query = { ...filters, resource: { ...resource, match: 'reaches' } } as const
  let updated = 0
  for await (const { keys } of pagesOf(context, workspaceId, query)) {
    const done = await Promise.all(
      keys.map(({ record: { id } }) => remove(context, { workspaceId, id, actor, resource })),
    )
    updated += done.filter(Boolean).length
  }
  await waitForWorkspace(context, { operation: 'removeResource', workspaceId })
  return Object.freeze({ updated })
}

interface Removal {
  readonly workspaceId: string
  /** The key. */
  readonly id: string
  readonly actor: Person
  readonly resource: { readonly type: string; readonly id: string }
}

/** Whether the resource was taken out of the key: not of one that has ended meanwhile. */
async function remove<S extends string>(
  context: Context<S>,
  { workspaceId, id, actor, resource }: Removal,
): Promise<boolean> {
  const calledAtMs = context.calls.clockMs()
  return makeOne<S, boolean>(context, {
    operation: 'removeResource',
    workspaceId,
    ids: [id],
    decide: (workspace) => {
      const { atMs } = workspace
      const current = workspace.key(id)
      const ids = current?.record.resources[resource.type]
      const isLiving = current && matches(current, { ...ANY_LIVING, atMs })
      if (!isLiving || !ids?.includes(resource.id)) return { answer: false, step: null }
      const left = ids.filter((one) => one !== resource.id)
      const { record } = current
      const resources = { ...record.resources, [resource.type]: left }
      const state = { ...stateOf(record), resources }
      const event = updateEvent(record, state, { actor, atMs: calledAtMs })
      return { answer: true, step: { keys: [changed(record, state, calledAtMs)], events: [event] } }
    },
  })
}
