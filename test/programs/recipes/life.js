import { strictEqual } from 'node:assert/strict'
import { createApiKeys, plans } from 'miftah'

/* The life of a key on the storage of one recipe. */
const [, , recipe] = process.argv
if (recipe.includes('neon')) await import('./neon.js')
const { storage, close } = await import(recipe)

await storage.migrate()
await storage.migrate()
const keys = createApiKeys({ storage, entitlements: () => plans.business })
const actor = { id: 'u_1', name: 'نورة' }
const accepts = async (secret) => (await keys.authenticate(`Bearer ${secret}`, 'contacts.read')).ok

const first = await keys.createKey({
  workspaceId: 'ws_1',
  creator: actor,
  name: 'مزامنة العملاء',
  environment: 'live',
  scopes: ['contacts.read'],
})
strictEqual(await accepts(first.secret), true)
const next = await keys.rotateKey({ workspaceId: 'ws_1', id: first.key.id, actor })
strictEqual(await accepts(first.secret), false)
const many = await Promise.all(Array.from({ length: 50 }, () => accepts(next.secret)))
strictEqual(many.every(Boolean), true)
await keys.flush()
const { keys: listed } = await keys.listKeys({ workspaceId: 'ws_1' })
strictEqual(listed[0].uses, 50)
strictEqual(listed[1].name, 'مزامنة العملاء')
await keys.revokeKey({ workspaceId: 'ws_1', id: next.key.id, actor })
strictEqual(await accepts(next.secret), false)
const { mode, missingRights } = await storage.diagnose()
strictEqual(mode, 'primary')
strictEqual(missingRights.length, 0)
await keys.close()
await close()
