import type { InputIssue } from '../../../src/index.ts'
import { keyInput, openWorld, refusal, START_MS } from '../world.ts'

export const MINUTE_MS = 60_000
export const DAY_S = 86_400
export const DAY_MS = DAY_S * 1_000

/** An instant so many milliseconds after the start of the world. */
export function later(ms: number): Date {
  return new Date(START_MS + ms)
}

/** A world on a storage, with one key in it. */
export async function worldWithKey(fields: Record<string, unknown> = {}) {
  const world = openWorld()
  const { key, secret } = await world.keys.createKey(keyInput(fields))
  return { world, keys: world.keys, key, secret }
}

/** Why a secret is refused, or `ok`. */
export async function verdict(
  { keys }: Pick<ReturnType<typeof openWorld>, 'keys'>,
  secret: string,
  scope: 'contacts.read' | 'flows.read' | null = null,
): Promise<string> {
  const auth = await keys.authenticate(`Bearer ${secret}`, scope)
  return auth.ok ? 'ok' : auth.reason
}

/** `path:code` of every issue of a refused input. */
export async function issuesOf(promise: Promise<unknown>): Promise<readonly string[]> {
  const { code, issues } = await refusal(promise)
  if (code !== 'invalid_input') throw new Error(`expected invalid_input, got ${code}`)
  return summaryOf(issues)
}

export function summaryOf(issues: readonly InputIssue[]): readonly string[] {
  return issues.map(({ path, code }) => `${path.join('.')}:${code}`).sort()
}

/** The code of a refusal. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  return (await refusal(promise)).code
}

/** The types of all events of the workspace, oldest first. */
export async function eventsOf({ keys }: Pick<ReturnType<typeof openWorld>, 'keys'>) {
  const { events } = await keys.listEvents({ workspaceId: 'ws_1', limit: 200 })
  return events.map(({ type }) => type.replace('api_key.', ''))
}

/** How many of these promises were kept, and the codes of the refusals of the others. */
export async function settle(promises: readonly Promise<unknown>[]) {
  const outcomes = await Promise.allSettled(promises)
  const codes = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [String((outcome.reason as { code?: unknown }).code)] : [],
  )
  return { kept: outcomes.length - codes.length, codes }
}
