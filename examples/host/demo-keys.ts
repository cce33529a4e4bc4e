import type { ApiKeys, DefaultScope } from 'miftah'
import { demoWorkspaces } from './demo-data.ts'

const DAY_MS = 86_400_000

/** What each key of the demo is for, what it may do, and how often it was used. */
const KEYS: readonly (readonly [name: string, scopes: readonly DefaultScope[], uses: number])[] = [
  ['تطبيق قديم', ['contacts.read'], 3],
  ['CRM sync', ['contacts.read', 'contacts.write'], 20],
  ['CRM sync (staging)', ['contacts.read', 'contacts.write'], 2],
  ['Weekly sales report', ['orders.read', 'contacts.read'], 5],
  ['خادم المتجر', ['contacts.read', 'orders.read', 'orders.write'], 25],
]

/** Gives the first workspace of the demo keys with a history, unless it has had any. */
export async function addDemoKeys(keys: ApiKeys): Promise<void> {
  const [workspace] = demoWorkspaces()
  if (workspace === undefined) return
  const { id: workspaceId, user: creator } = workspace
  if ((await keys.listKeys({ workspaceId })).keys.length > 0) return
  const made: Record<string, string> = {}
  for (const [name, scopes, uses] of KEYS) {
    const environment = name.includes('staging') ? 'test' : 'live'
    const expiresAt = name.includes('report') ? new Date(Date.now() + 5 * DAY_MS) : null
    const fields = { workspaceId, creator, name, environment, scopes, expiresAt } as const
    const { key, secret } = await keys.createKey(fields)
    for (let use = 0; use < uses; use += 1) {
      await keys.authenticate(`Bearer ${secret}`, 'contacts.read')
    }
    made[name] = key.id
  }
  const action = (name: string) => ({ workspaceId, id: made[name] ?? '', actor: creator })
  await keys.revokeKey(action('تطبيق قديم'))
  await keys.pauseKey(action('CRM sync (staging)'))
  await keys.rotateKey({ ...action('CRM sync'), overlapSeconds: DAY_MS / 1_000 })
}
