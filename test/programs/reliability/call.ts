import { ApiKeyError, type ApiKeys } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { keysOn } from './keys.ts'

type Method = {
  [K in keyof ApiKeys]: ApiKeys[K] extends (...given: never[]) => Promise<unknown> ? K : never
}[keyof ApiKeys]

/** A call of the library as plain data. */
export interface Call {
  readonly method: Method
  readonly input: unknown
  /** How many of them at once. Default 1. */
  readonly times?: number
  /** How far the clock of the machine is ahead. Default 0. */
  readonly aheadMs?: number
}

/** What a call came to. */
export interface Outcome {
  // biome-ignore lint/suspicious/noExplicitAny: what another process has answered
  readonly ok?: any
  readonly code?: string
}

/** Makes a call; an update without a version is one of the key as it is now. */
export async function callKeys(
  storage: KeyStorage,
  { method, input, times = 1, aheadMs = 0 }: Call,
) {
  const keys = keysOn(storage, { aheadMs })
  return Promise.all(
    Array.from({ length: times }, () => outcomeOf(() => make(keys, method, input))),
  )
}

async function make(keys: ApiKeys, method: Method, input: unknown): Promise<unknown> {
  const call = keys[method] as (given: unknown) => Promise<unknown>
  if (method !== 'updateKey' || Reflect.has(input as object, 'version')) return call(input)
  const { workspaceId, id } = input as { workspaceId: string; id: string }
  const { version } = await keys.getKey({ workspaceId, id })
  return call({ ...(input as object), version })
}

/** The answer of a call, or the code of its refusal. */
export async function outcomeOf(call: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: await call() }
  } catch (error) {
    if (error instanceof ApiKeyError) return { code: error.code }
    throw error
  }
}
