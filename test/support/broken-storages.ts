import type { KeyRecord, KeyStorage, StoredKey } from '../../src/storage/index.ts'

/** Counts uses by writing back the whole record it read. */
export function withStaleWriteBack(good: KeyStorage): KeyStorage {
  const revived = new Map<string, StoredKey>()
  return {
    ...good,
    findByHash: async (hash) => {
      const record = await good.findByHash(hash)
      return record && (revived.get(record.id) ?? record)
    },
    findById: async (workspaceId, id) => revived.get(id) ?? (await good.findById(workspaceId, id)),
    addUses: async (batch) => {
      await good.addUses(batch)
      for (const { id } of batch.uses) {
        const read = await good.findById('ws_sample', id)
        if (read) revived.set(id, { ...read, revokedAtMs: null })
      }
    },
  }
}

/** Checks the limit in a step of its own, before the insert. */
export function withLimitOutside(good: KeyStorage): KeyStorage {
  return {
    ...good,
    insert: async (record, limit, event) => {
      const query = { status: null, environment: null, atMs: 0, after: null, limit: 1 }
      const activeKeys = (await good.list(record.workspaceId, query))?.activeKeys ?? 0
      if (limit !== null && activeKeys >= limit) return { inserted: false, activeKeys }
      // Long enough for parallel calls to have looked too, also on a busy machine.
      await new Promise((resolve) => setTimeout(resolve, 200))
      return good.insert(record, null, event)
    },
  }
}

/** Knows no repeated insert. */
export function withoutRepeats(good: KeyStorage): KeyStorage {
  return {
    ...good,
    insert: async (record, limit, event) => {
      const known = await good.findByHash(record.hash)
      return known ? { inserted: false, activeKeys: 1 } : good.insert(record, limit, event)
    },
  }
}

/** Tells a later instant on a second revocation. */
export function withMovedRevocation(good: KeyStorage): KeyStorage {
  return {
    ...good,
    revoke: async (change) => {
      const answer = await good.revoke(change)
      if (answer.outcome !== 'already_revoked') return answer
      return { ...answer, record: { ...answer.record, revokedAtMs: change.revokedAtMs } }
    },
  }
}

/** Finds a key for any workspace. */
export function withoutWorkspaces(good: KeyStorage): KeyStorage {
  const workspaces = new Map<string, string>()
  return {
    ...good,
    insert: (record, limit, event) => {
      workspaces.set(record.id, record.workspaceId)
      return good.insert(record, limit, event)
    },
    findById: (workspaceId, id) => good.findById(workspaces.get(id) ?? workspaceId, id),
  }
}

/** Takes each batch for the first of a new writer. */
export function withForgottenWriters(good: KeyStorage): KeyStorage {
  let flushes = 0
  return {
    ...good,
    addUses: (batch) => {
      flushes += 1
      return good.addUses({ ...batch, writer: `writer ${flushes}` })
    },
  }
}

/** Answers an unknown cursor with the first page. */
export function withLaxCursor(good: KeyStorage): KeyStorage {
  return {
    ...good,
    list: async (workspaceId, query) =>
      (await good.list(workspaceId, query)) ?? good.list(workspaceId, { ...query, after: null }),
  }
}

/** Drops the last key of each page. */
export function withShortPages(good: KeyStorage): KeyStorage {
  return {
    ...good,
    list: async (workspaceId, query) => {
      const page = await good.list(workspaceId, query)
      return page && { ...page, records: page.records.slice(0, -1) }
    },
  }
}

/** Answers lookups from a cache that nothing clears. */
export function withCachedLookups(good: KeyStorage): KeyStorage {
  const cache = new Map<string, KeyRecord | null>()
  return {
    ...good,
    findByHash: async (hash) => {
      const record = cache.get(hash) ?? (await good.findByHash(hash))
      cache.set(hash, record)
      return record
    },
  }
}

/** Grants the lease to any relay that asks. */
export function withOpenLease(good: KeyStorage): KeyStorage {
  return { ...good, claimEvents: (claim) => good.claimEvents({ ...claim, relay: 'anyone' }) }
}

/** Returns fewer events than it could, as if it filtered a page after cutting it. */
export function withShortEventPages(good: KeyStorage): KeyStorage {
  return {
    ...good,
    events: async (workspaceId, query) =>
      (await good.events(workspaceId, query))?.slice(0, Math.max(1, query.limit - 1)) ?? null,
  }
}

/** Lets a relay settle events after it has lost the lease. */
export function withLateSettling(good: KeyStorage): KeyStorage {
  let holder = ''
  return {
    ...good,
    claimEvents: (claim) => {
      holder = claim.relay
      return good.claimEvents(claim)
    },
    acknowledgeEvents: (_relay, ids) => good.acknowledgeEvents(holder, ids),
  }
}

/** Does nothing to release a lease. */
export function withStickyLease(good: KeyStorage): KeyStorage {
  return { ...good, releaseEvents: async () => {} }
}

/** Leaves workspaces out only after cutting the page. */
export function withLateExcept(good: KeyStorage): KeyStorage {
  return {
    ...good,
    claimEvents: async (claim) => {
      const page = await good.claimEvents({ ...claim, except: [] })
      return page.filter(({ workspaceId }) => !claim.except.includes(workspaceId))
    },
  }
}

/** Does not keep the case of names. */
export function withUpperCaseNames(good: KeyStorage): KeyStorage {
  return {
    ...good,
    insert: (record, limit, event) =>
      good.insert({ ...record, name: record.name.toUpperCase() }, limit, event),
  }
}

/** Keeps 32 bits of a count. */
export function with32Bits(good: KeyStorage): KeyStorage {
  return {
    ...good,
    findById: async (workspaceId, id) => {
      const record = await good.findById(workspaceId, id)
      return record && { ...record, uses: record.uses >>> 0 }
    },
  }
}

/** Takes a list without ids for no list, and so for everything. */
export function withEmptyAsAll(good: KeyStorage): KeyStorage {
  return {
    ...good,
    insert: (record, limit, event) => {
      const lists = Object.entries(record.resources).filter(([, ids]) => ids.length > 0)
      return good.insert({ ...record, resources: Object.fromEntries(lists) }, limit, event)
    },
  }
}

/** Lists keys of every creator. */
export function withoutCreators(good: KeyStorage): KeyStorage {
  return {
    ...good,
    list: (workspaceId, { creatorId: _creatorId, ...query }) => good.list(workspaceId, query),
  }
}

/** Changes no retiring key. */
export function withFirmRetiring(good: KeyStorage): KeyStorage {
  return { ...good, update: (change) => good.update({ ...change, isNarrowing: false }) }
}
