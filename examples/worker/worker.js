import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { createApiKeys, plans } from 'miftah'
import { manageKeys, requireKey } from 'miftah/hono'
import { postgresStorage } from 'miftah/postgres'
import pg from 'pg'

/** A connection belongs to the request that opened it, so each statement has its own. */
async function query(text, values) {
  const client = new pg.Client({ connectionString: env.DATABASE_URL })
  await client.connect()
  try {
    return await client.query(text, values)
  } finally {
    await client.end()
  }
}

const keys = createApiKeys({
  storage: postgresStorage({ query }),
  entitlements: () => plans.business,
})

// Stands for the sessions that your application has.
const sessions = new Map([
  ['session=noura', { workspaceId: 'ws_1', user: { id: 'u_1', name: 'نورة' } }],
])

const app = new Hono()
app.use(async (c, next) => {
  await next()
  // A Worker has no timer that would write them.
  c.executionCtx.waitUntil(keys.flush())
})
app.all(
  '/api/settings/*',
  manageKeys(keys, { context: (c) => sessions.get(c.req.header('cookie') ?? '') ?? null }),
)
app.get('/api/public/v1/contacts', requireKey(keys, 'contacts.read'), (c) =>
  c.json({ workspace: c.var.apiKey.workspaceId }),
)

export default app
