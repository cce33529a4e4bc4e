import type { ApiKeys, AuditEvent, EventList } from '../../../../src/index.ts'

/** So few events can follow the rotation of a key: notices of its end, the end, a revocation. */
const AFTER_ROTATION = 10

/**
 * A page of the events of one key, newest first. `nextCursor` is `null` on the last page, which ends with
 * the rotation that the key came from, if it is a replacement. Throws `key_not_found`.
 */
export async function historyOf<S extends string>(
  keys: ApiKeys<S>,
  query: Parameters<ApiKeys['listEvents']>[0] & { readonly keyId: string },
): Promise<EventList> {
  const { workspaceId, keyId } = query
  const { replaces } = await keys.getKey({ workspaceId, id: keyId })
  const page = await keys.listEvents({ ...query, newestFirst: true })
  const cursor = page.nextCursor
  const next = await keys.listEvents({ ...query, newestFirst: true, cursor, limit: 1 })
  if (page.events.length > 0 && next.events.length > 0) return page
  const origin = replaces === null ? [] : await rotationInto(keys, query, replaces)
  return { events: [...page.events, ...origin], nextCursor: null }
}

/** The rotation that made a key, in the log of the key that it replaces. */
async function rotationInto<S extends string>(
  keys: ApiKeys<S>,
  { workspaceId, keyId }: { readonly workspaceId: string; readonly keyId: string },
  replaced: string,
): Promise<readonly AuditEvent[]> {
  const newest = { newestFirst: true, limit: AFTER_ROTATION }
  const { events } = await keys.listEvents({ workspaceId, keyId: replaced, ...newest })
  return events.filter(
    (event) => event.type === 'api_key.rotated' && event.data.replacementId === keyId,
  )
}
