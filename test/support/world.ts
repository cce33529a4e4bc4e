import { memoryStorage } from '../../adapters/storage/memory.ts'
import {
  type ApiKey,
  ApiKeyError,
  type ApiKeyEvent,
  type ApiKeysOptions,
  type AuthenticatedKey,
  createApiKeys,
  type DefaultScope,
  type Entitlements,
  OutageError,
  plans,
} from '../../src/index.ts'
import type { StorageMethod } from '../../src/storage/index.ts'

export const WORKSPACE = 'ws_1'
export const CREATOR = { id: 'u_1', name: 'نورة' }
export const ACTOR = { id: 'u_2', name: 'Sami' }
/** The time in a new world. */
export const START_MS = Date.UTC(2026, 0, 1)

/** What `createKey` needs for a valid key; `fields` override. */
export function keyInput(fields: Record<string, unknown> = {}) {
  return {
    workspaceId: WORKSPACE,
    creator: CREATOR,
    name: 'CRM sync',
    environment: 'live' as const,
    scopes: ['contacts.read'] as const satisfies readonly DefaultScope[],
    ...fields,
  }
}

/** What `rotateKey` and `revokeKey` need. */
export function action(id: string, workspaceId = WORKSPACE) {
  return { workspaceId, id, actor: ACTOR }
}

type Behaviour = (...args: never[]) => unknown

/**
 * Keys over a real storage, with a clock and a plan that a test can move, a log of everything that
 * the storage and the host were asked, and verbs that a test can make misbehave.
 */
export function openWorld(options: Partial<ApiKeysOptions> = {}) {
  const stored = options.storage ?? memoryStorage()
  const calls: string[] = []
  const misbehaviour: Partial<Record<StorageMethod, Behaviour>> = {}
  const events: ApiKeyEvent<DefaultScope>[] = []
  const world = { nowMs: START_MS, plan: plans.business as Entitlements }
  const storage = new Proxy(stored, {
    get: (target, verb: StorageMethod) => {
      if (typeof target[verb] !== 'function') return target[verb]
      return (...args: never[]) => {
        calls.push(verb)
        const behaviour = misbehaviour[verb] ?? (target[verb] as Behaviour)
        return behaviour.apply(target, args)
      }
    },
  })
  const keys = createApiKeys({
    entitlements: () => {
      calls.push('entitlements')
      return world.plan
    },
    now: () => new Date(world.nowMs),
    onEvent: (event) => events.push(event),
    storageTimeoutMs: 5_000,
    ...options,
    storage,
  })
  /** Everything that was asked since the last look. */
  const asked = () => calls.splice(0)
  return Object.assign(world, { keys, stored, storage, misbehaviour, events, asked })
}

export type World = ReturnType<typeof openWorld>

/** The error of a promise that must reject with an `ApiKeyError`. */
export async function refusal(promise: Promise<unknown>): Promise<ApiKeyError> {
  const error = await rejection(promise)
  if (error instanceof ApiKeyError) return error
  throw new Error(`expected an ApiKeyError, got ${String(error)}`, { cause: error })
}

/** The error of a promise that must reject with a `OutageError`. */
export async function fault(promise: Promise<unknown>): Promise<OutageError> {
  const error = await rejection(promise)
  if (error instanceof OutageError) return error
  throw new Error(`expected a OutageError, got ${String(error)}`, { cause: error })
}

/** What a promise rejects with; an error when it does not. */
export function rejection(promise: Promise<unknown>): Promise<unknown> {
  const unexpected = (value: unknown) =>
    thrown(new Error(`expected a rejection, got ${JSON.stringify(value)}`))
  return promise.then(unexpected, (error: unknown) => error)
}

/** Throws where an expression is needed. */
export function thrown(error: unknown): never {
  throw error
}

/** Lets everything run that is due already. */
export function settled(ms = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Waits until something holds; an error after half a minute. */
export async function until(holds: () => boolean): Promise<void> {
  const endsMs = performance.now() + 30_000
  while (!holds()) {
    if (performance.now() > endsMs) throw new Error('it never came to pass')
    await settled(1)
  }
}

/** A text without the ids of keys and events, which are random and may contain any short word. */
export function withoutIds(text: string): string {
  return text.replace(/\b(key|evt)_[\w-]{21}/g, '$1')
}

/** The key as `authenticate` answers it. */
export function withoutUsage({
  uses: _uses,
  lastUsedAt: _at,
  withinGrant: _is,
  ...key
}: ApiKey): AuthenticatedKey {
  return key
}
