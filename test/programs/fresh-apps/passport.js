import express from 'express'
import headerApiKey from 'passport-headerapikey'
import { keys, passport } from './guide.js'

// The strategy of docs/passport.md beside passport-headerapikey: prints what each answers, once each.
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

/** The status of each strategy, and what it knows. */
async function answers(headers) {
  const all = names.map(async (name) => {
    const response = await fetch(`http://127.0.0.1:${server.address().port}/${name}`, { headers })
    return [response.status, response.ok ? await response.json() : null]
  })
  return Promise.all(all)
}

const good = { 'x-api-key': secret }
const found = {
  accepted: await answers(good),
  missing: await answers({}),
  unknown: await answers({ 'x-api-key': `${secret}x` }),
}
await keys.revokeKey({ workspaceId: 'ws_1', id: key.id, actor: { id: 'u_1', name: 'نورة' } })
found.revoked = await answers(good)
await keys.close()
found.closed = await answers(good)
server.close()
console.log(JSON.stringify(found))
