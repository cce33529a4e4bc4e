import type { WorkspaceWrite } from '../../../src/storage/index.ts'
import { action, keyInput, openWorld, START_MS, WORKSPACE, type World } from '../world.ts'

export const MINUTE_MS = 60_000
export const DAY_S = 86_400
export const DAY_MS = DAY_S * 1_000

/** An instant so many milliseconds after the start of the world. */
export function later(ms: number): Date {
  return new Date(START_MS + ms)
}

/** A world with one key in it. */
export async function worldWithKey(
  fields: Record<string, unknown> = {},
  options: Parameters<typeof openWorld>[0] = {},
) {
  const world = openWorld(options)
  const { keys } = world
  const { key, secret } = await keys.createKey(keyInput(fields))
  const one = action(key.id)
  const update = (change: object, version = key.version) =>
    keys.updateKey({ ...one, version, change })
  const now = () => keys.getKey({ workspaceId: WORKSPACE, id: key.id })
  return { world, keys, key, secret, one, update, now }
}

/** Another process makes a change just before the next write of a world is stored. */
export function meanwhile(
  world: World,
  change: (keys: World['keys']) => unknown,
  options: Parameters<typeof openWorld>[0] = {},
): void {
  const storage = world.stored
  const other = openWorld({ now: () => new Date(world.nowMs), ...options, storage })
  other.plan = world.plan
  world.misbehaviour.write = async (writes: readonly WorkspaceWrite[]) => {
    delete world.misbehaviour.write
    await change(other.keys)
    return storage.write(writes)
  }
}

/** Why a secret is refused, or `ok`. */
export async function verdict(
  { keys }: Pick<World, 'keys'>,
  secret: string,
  scope: 'contacts.read' | 'flows.read' | null = null,
): Promise<string> {
  const auth = await keys.authenticate(`Bearer ${secret}`, scope)
  return auth.ok ? 'ok' : auth.reason
}
