import { memoryStorage } from '../../../adapters/storage/memory.ts'
import {
  type ApiKeyEvent,
  type ApiKeys,
  createApiKeys,
  type DefaultScope,
  type Entitlements,
  type KeyStorage,
  plans,
} from '../../../src/index.ts'

const WORKSPACE = 'ws_1'
export const USER = { id: 'u_1', name: 'نورة' }

/** Keys on a storage whose plug can be pulled, and what a test wants to know of them. */
export interface TestKeys {
  readonly keys: ApiKeys
  readonly events: ApiKeyEvent[]
  /** While true, every storage call fails. */
  outage: boolean
  /** The plan of a workspace that has none of its own here. */
  readonly plans: Map<string, Entitlements>
  /** How many look-ups by hash there were. */
  lookups: number
  /** Awaited before each look-up by hash. */
  beforeLookup: () => Promise<void>
}

export function testKeys(): TestKeys {
  const events: ApiKeyEvent[] = []
  const state: Omit<TestKeys, 'keys'> = {
    events,
    outage: false,
    plans: new Map(),
    lookups: 0,
    beforeLookup: async () => {},
  }
  const keys = createApiKeys({
    storage: pluggedStorage(memoryStorage(), state),
    entitlements: (workspaceId) => state.plans.get(workspaceId) ?? plans.enterprise,
    entitlementsTtlMs: 0,
    onEvent: (event) => events.push(event),
  })
  return Object.assign(state, { keys })
}

/** The real storage behind a plug. */
function pluggedStorage(storage: KeyStorage, state: Omit<TestKeys, 'keys'>): KeyStorage {
  return new Proxy(storage, {
    get(target, verb: keyof KeyStorage) {
      return async (...args: unknown[]) => {
        if (verb === 'findByHash') {
          state.lookups += 1
          await state.beforeLookup()
        }
        if (state.outage) throw new Error('connection refused')
        return Reflect.apply(target[verb], target, args)
      }
    },
  })
}

/** A new key with one scope; the guarded routes of the test hosts want `contacts.read`. */
export function issueKey({ keys }: TestKeys, scope: DefaultScope = 'contacts.read') {
  return keys.createKey({
    workspaceId: WORKSPACE,
    creator: USER,
    name: 'CRM sync',
    environment: 'live',
    scopes: [scope],
  })
}
