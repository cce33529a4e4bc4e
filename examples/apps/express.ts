import express from 'express'
import { manageKeys, requireKey } from 'miftah/express'
import { address, closeOnSignal, contextOf, keys } from './api-keys.ts'

const app = express()
app.use('/api/settings', manageKeys(keys, { context: (req) => contextOf(req.headers.cookie) }))
app.get('/api/public/v1/contacts', requireKey(keys, 'contacts.read'), (req, res) => {
  res.json({ workspace: req.apiKey?.workspaceId })
})

const server = app.listen(address.port, address.host, () => {
  console.log(`Listening on http://127.0.0.1:${Object(server.address()).port}`)
})
closeOnSignal(() => {
  setTimeout(() => server.closeAllConnections(), 10_000).unref()
  return new Promise((resolve) => server.close(resolve))
})
