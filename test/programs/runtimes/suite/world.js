import { createApiKeys, plans } from 'miftah'
import { memoryStorage } from 'miftah/memory'

export const USER = { id: 'u_1', name: 'نورة' }
export const WORKSPACE = 'ws_1'

/** Keys in memory, with the hashes and uses that the storage was given and a plan that can be changed. */
export function openWorld() {
  const world = { plan: plans.enterprise, hashes: [], uses: [], outage: false }
  const memory = memoryStorage()
  world.storage = new Proxy(memory, {
    get:
      (target, verb) =>
      async (...given) => {
        if (world.outage) throw new Error('connection refused')
        if (verb === 'write') {
          world.hashes.push(
            ...given[0].flatMap(({ keys }) => keys.map(({ record }) => record.hash)),
          )
        }
        if (verb === 'addUses') world.uses.push(given[0])
        return target[verb](...given)
      },
  })
  world.keys = createApiKeys({
    storage: world.storage,
    entitlements: () => world.plan,
    entitlementsTtlMs: 0,
  })
  return world
}

/** What a new key of the workspace is asked for with; `fields` override. */
export function keyInput(fields = {}) {
  return {
    workspaceId: WORKSPACE,
    creator: USER,
    name: 'CRM sync',
    environment: 'live',
    scopes: ['contacts.read'],
    ...fields,
  }
}

/** What names a key to rotate or revoke. */
export function action(id, workspaceId = WORKSPACE) {
  return { workspaceId, id, actor: USER }
}
