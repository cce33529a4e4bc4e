import { createApiKeys, plans } from 'miftah'
import { sqliteStorage } from 'miftah/sqlite'

const storage = sqliteStorage('keys.sqlite')
// On an empty database at first.
storage.migrate()

/** What every app begins with. */
export const keys = createApiKeys({ storage, entitlements: () => plans.business })

/** Who is asking, by the cookie of a session. */
export function contextOf(cookie) {
  if (cookie !== 'session=noura') return null
  return { workspaceId: 'ws_1', user: { id: 'u_1', name: 'نورة' } }
}
