import type { KeyRecord, KeyStorage, KeyUsage, ViewQuery } from '../../src/storage/index.ts'

/** What reads keys and events of a workspace, and counts nothing. */
export function viewOf(
  workspaceId: string,
  ids: readonly string[] = [],
  eventIds: readonly string[] = [],
): ViewQuery {
  return { workspaceId, ids, eventIds, countAtMs: null, countUpTo: null }
}

/** A key of a workspace with its usage, or `null`. */
export async function findById(
  storage: KeyStorage,
  workspaceId: string,
  id: string,
): Promise<(KeyRecord & KeyUsage) | null> {
  const [found] = (await storage.read(viewOf(workspaceId, [id]))).keys
  return found === undefined ? null : Object.freeze({ ...found.record, ...found.usage })
}
