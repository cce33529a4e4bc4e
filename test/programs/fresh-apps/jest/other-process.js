import { createApiKeys, plans } from 'miftah'
import { sqliteStorage } from 'miftah/sqlite'

// `other-process.js FILE`: creates a key and writes it. With an id behind it, revokes that key.
const [file, id] = process.argv.slice(2)
const person = { id: 'u_1', name: 'Noura' }

async function main() {
  const storage = sqliteStorage(file)
  const keys = createApiKeys({ storage, entitlements: () => plans.business })
  const workspaceId = 'ws_1'
  const fields = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }
  const done = id
    ? await keys.revokeKey({ workspaceId, id, actor: person })
    : await keys.createKey({ workspaceId, creator: person, ...fields })
  await keys.close()
  await storage.close()
  console.log(JSON.stringify(done))
}

main()
