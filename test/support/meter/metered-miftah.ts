import type { IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'
import { requireKey } from '../../../adapters/http/express.ts'
import { type ApiKeysOptions, createApiKeys, plans } from '../../../src/index.ts'
import { keyInput } from '../world.ts'
import type { Metered } from './metered-server.ts'

const actor = { id: 'u_1', name: 'Noura' }

/** miftah on a storage, with its guard for Express. */
export function meteredMiftah(options: Pick<ApiKeysOptions, 'storage' | 'cache'>): Metered {
  const keys = createApiKeys({ ...options, entitlements: () => plans.enterprise })
  const app = express()
  app.get('/guarded', requireKey(keys, 'contacts.read'), (_req, res) => void res.json({}))
  return {
    async create() {
      const { key, secret } = await keys.createKey(keyInput({ creator: actor, name: 'meter' }))
      return { id: key.id, secret }
    },
    async revoke(id) {
      await keys.revokeKey({ workspaceId: 'ws_1', id, actor })
    },
    guarded: (req: IncomingMessage, res: ServerResponse) => void app(req, res),
  }
}
