import type { KeyRecord, KeyStorage, KeyUsage } from '../../src/storage/index.ts'

/** A key of a workspace with its usage, or `null`. */
export async function findById(
  storage: KeyStorage,
  workspaceId: string,
  id: string,
): Promise<(KeyRecord & KeyUsage) | null> {
  const query = { workspaceId, ids: [id], eventIds: [], countAtMs: null, countUpTo: null }
  const [found] = (await storage.read(query)).keys
  return found === undefined ? null : Object.freeze({ ...found.record, ...found.usage })
}
