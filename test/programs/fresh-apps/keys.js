import { createApiKeys, plans } from 'miftah'
import { sqliteStorage } from 'miftah/sqlite'

const folder = process.env.MISCONFIGURED ? 'no-such-folder/' : ''
const storage = sqliteStorage(`${folder}keys.sqlite`)
// On an empty database at first. An app without keys answers 503, and need not end.
if (!process.env.MISCONFIGURED) storage.migrate()

/** What every app begins with. */
export const keys = createApiKeys({
  storage,
  entitlements: () => plans.business,
})

/** Who is asking, by the cookie of a session. */
export function contextOf(cookie) {
  if (cookie !== 'session=noura') return null
  return { workspaceId: 'ws_1', user: { id: 'u_1', name: 'نورة' } }
}
