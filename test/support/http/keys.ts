import { StorageError } from '../../../adapters/storage/lib/storage-error.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import {
  type ApiKeyEvent,
  type ApiKeys,
  type ApiKeysOptions,
  createApiKeys,
  type DefaultScope,
  type Entitlements,
  plans,
} from '../../../src/index.ts'
import type { KeyStorage, StorageMethod } from '../../../src/storage/index.ts'
import { keyInput } from '../world.ts'

export const USER = { id: 'u_1', name: 'نورة' }

/** Keys on a storage that a test can cut off, and what a test wants to know of them. */
export interface TestKeys {
  readonly keys: ApiKeys
  readonly events: ApiKeyEvent[]
  /** While true, every storage call fails, and nothing is changed. */
  outage: boolean
  /** While set, each change fails with this, and is not made. */
  failure: unknown
  /** While set, each change is made, and this is thrown in place of its answer. */
  lostAnswer: unknown
  /** The plan of a workspace that has none of its own here. */
  readonly plans: Map<string, Entitlements>
  /** How many look-ups by hash there were. */
  lookups: number
  /** Awaited before each look-up by hash. */
  beforeLookup: () => Promise<void>
}

export function testKeys(options: Partial<ApiKeysOptions> = {}): TestKeys {
  const events: ApiKeyEvent[] = []
  const state: Omit<TestKeys, 'keys'> = {
    events,
    outage: false,
    failure: null,
    lostAnswer: null,
    plans: new Map(),
    lookups: 0,
    beforeLookup: async () => {},
  }
  const keys = createApiKeys({
    storage: pluggedStorage(memoryStorage(), state),
    entitlements: (workspaceId) => state.plans.get(workspaceId) ?? plans.enterprise,
    entitlementsTtlMs: 0,
    onEvent: (event) => events.push(event),
    ...options,
  })
  return Object.assign(state, { keys })
}

/** The real storage behind a plug. */
function pluggedStorage(storage: KeyStorage, state: Omit<TestKeys, 'keys'>): KeyStorage {
  return new Proxy(storage, {
    get(target, verb: StorageMethod) {
      if (typeof target[verb] !== 'function') return target[verb]
      return async (...args: unknown[]) => {
        if (verb === 'findByHash') {
          state.lookups += 1
          await state.beforeLookup()
        }
        if (state.outage) throw new StorageError('unavailable', 'connection refused')
        if (state.failure !== null && verb === 'write') throw state.failure
        const answer = await Reflect.apply(target[verb], target, args)
        if (state.lostAnswer !== null && verb === 'write') throw state.lostAnswer
        return answer
      }
    },
  })
}

/** A new key with one scope; the guarded routes of the test hosts want `contacts.read`. */
export function issueKey({ keys }: Pick<TestKeys, 'keys'>, scope: DefaultScope = 'contacts.read') {
  return keys.createKey(keyInput({ scopes: [scope] }))
}
