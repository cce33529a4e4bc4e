import { deepStrictEqual } from 'node:assert/strict'
import express from 'express'
import headerApiKey from 'passport-headerapikey'
import { keys, passport } from './guide.js'

// The strategy of docs/passport.md and passport-headerapikey answer the same.
const { key, secret } = await keys.createKey({
  workspaceId: 'ws_1',
  creator: { id: 'u_1', name: 'نورة' },
  name: 'CRM sync',
  environment: 'live',
  scopes: ['contacts.read'],
})
const verify = (text, done) => {
  keys.authenticateSecret(text, null).then((auth) => done(null, auth.ok ? auth.key : false), done)
}
passport.use(
  new headerApiKey.HeaderAPIKeyStrategy({ header: 'X-API-Key', prefix: '' }, false, verify),
)

const app = express()
const names = ['headerapikey', 'api-key']
for (const name of names) {
  app.get(`/${name}`, passport.authenticate(name, { session: false }), (req, res) => {
    res.json([req.user.workspaceId, keys.authorize(req.user, 'contacts.read').ok])
  })
}
app.use((_error, _req, res, _next) => res.status(503).end())
const server = app.listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))

/** Both strategies answer so, and know this of the key. */
async function expectBoth(headers, ...expected) {
  for (const name of names) {
    const response = await fetch(`http://127.0.0.1:${server.address().port}/${name}`, { headers })
    const known = response.ok ? await response.json() : null
    deepStrictEqual([response.status, known], expected, name)
  }
}

const good = { 'x-api-key': secret }
await expectBoth(good, 200, ['ws_1', true])
await expectBoth({}, 401, null)
await expectBoth({ 'x-api-key': `${secret}x` }, 401, null)
await keys.revokeKey({ workspaceId: 'ws_1', id: key.id, actor: { id: 'u_1', name: 'نورة' } })
await expectBoth(good, 401, null)
await keys.close()
await expectBoth(good, 503, null)
server.close()
