import type { WorkspaceWrite } from '../../../src/storage/index.ts'
import { action, keyInput, openWorld, refusal, START_MS, WORKSPACE, type World } from '../world.ts'

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

/** What is said of a refused input: each issue as `path code: message`. */
export async function saidOf(promise: Promise<unknown>): Promise<readonly string[]> {
  const { code, issues } = await refusal(promise)
  if (code !== 'invalid_input') throw new Error(`expected invalid_input, got ${code}`)
  return issues.map(
    ({ path, code: problem, message }) => `${path.join('.')} ${problem}: ${message}`,
  )
}

/** The code of a refusal. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  return (await refusal(promise)).code
}

/** The types of all events of the workspace, oldest first. */
export async function eventsOf({ keys }: Pick<World, 'keys'>) {
  const { events } = await keys.listEvents({ workspaceId: 'ws_1', limit: 200 })
  return events.map(({ type }) => type.replace('api_key.', ''))
}
