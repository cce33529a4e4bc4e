import {
  type ChangeLog,
  type KeyStorage,
  USAGE_OUTCOMES,
  type UsageBatch,
} from '../../../src/storage/index.ts'
import { StorageError } from './storage-error.ts'

/** What asks a database. */
export type StorableStorage = Omit<KeyStorage, 'changes' | 'batchKeys' | 'diagnose'>

/**
 * A storage that asks a database only for what it can hold: anything else is refused (`unstorable_value`), but
 * for ids of keys and events and hashes, which name nothing then. Each call is passed on
 * before its method returns, so what the caller does to an argument later changes nothing.
 */
export function storableOnly(storage: StorableStorage): StorableStorage {
  return {
    findByHash: (hash, call) => (HASH.test(hash) ? storage.findByHash(hash, call) : null),
    read: async ({ ids, eventIds, ...query }, call) => {
      const known = { ids: ids.filter(isStorableText), eventIds: eventIds.filter(isStorableText) }
      return storage.read(storable({ ...query, ...known }), call)
    },
    write: async (writes, call) => {
      const hashes = writes.flatMap(({ keys }) => keys.map(({ record }) => record.hash))
      if (hashes.every((hash) => HASH.test(hash))) return storage.write(storable(writes), call)
      throw new StorageError('unstorable_value', 'a hash must be 64 lower-case hex digits')
    },
    list: async (workspaceId, query, call) =>
      storage.list(storable(workspaceId), storable(query), call),
    usage: async (workspaceId, query, call) =>
      isStorableText(query.id ?? '')
        ? storage.usage(storable(workspaceId), storable(query), call)
        : null,
    events: async (workspaceId, query, call) =>
      isStorableText(query.keyId ?? '')
        ? storage.events(storable(workspaceId), storable(query), call)
        : { events: [], last: null },
    addUses: async (batch, call) => storage.addUses(storable(ofKeys(batch)), call),
    acknowledgeEvents: async (relay, eventIds, call) =>
      storage.acknowledgeEvents(storable(relay), storable(eventIds), call),
    ...checked(storage, [
      ...(['due', 'keysOfPerson', 'renameActor', 'closeWorkspace', 'deleteWorkspace'] as const),
      ...(['purge', 'claimEvents', 'releaseEvents'] as const),
    ]),
  }
}

/** The same log, which refuses what a database cannot hold. */
export function storableLog(log: ChangeLog): ChangeLog {
  return { ...log, ...checked(log, ['register', 'changePlan']) }
}

/** Methods that take one argument and the call, and refuse the argument if no database can hold it. */
function checked<T, N extends keyof T>(methods: T, names: readonly N[]): Pick<T, N> {
  const all = names.map((name) => {
    const method = methods[name] as (argument: unknown, call: unknown) => unknown
    return [name, async (argument: unknown, call: unknown) => method(storable(argument), call)]
  })
  return Object.fromEntries(all)
}

/** The uses of ids that may name a key. */
function ofKeys({ uses, history, ...batch }: UsageBatch): UsageBatch {
  const known = <T extends { readonly id: string }>(rows: readonly T[]) =>
    rows.filter(({ id }) => isStorableText(id))
  const counts = known(history?.counts ?? [])
  if (counts.every(({ outcome }) => USAGE_OUTCOMES.includes(outcome))) {
    return { ...batch, uses: known(uses), ...(history && { history: { ...history, counts } }) }
  }
  throw new StorageError('unstorable_value', 'a count must have a known outcome')
}

// With the u flag a pair counts as the one character that it stands for.
const LONE_SURROGATE = /\p{Surrogate}/u

const HASH = /^[0-9a-f]{64}$/

/**
 * Whether a database gives this text back as it is. Drivers cut text at U+0000 or refuse it, and
 * turn a lone surrogate into U+FFFD, so that two different texts would become one.
 */
function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && !LONE_SURROGATE.test(text)
}

/** The same value. Throws `unstorable_value` unless each text, name and number in it comes back as it goes in. */
export function storable<T>(value: T): T {
  if (typeof value === 'string') checkText(value)
  else if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new StorageError('unstorable_value', 'a number is not a whole number within ±2^53')
  else if (Array.isArray(value)) value.forEach(storable)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      checkText(name)
      storable(inner)
    }
  }
  return value
}

function checkText(text: string): void {
  if (isStorableText(text)) return
  throw new StorageError('unstorable_value', 'a text contains U+0000 or a lone surrogate')
}
