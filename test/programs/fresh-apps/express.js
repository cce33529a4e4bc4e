import express from 'express'
import { manageKeys, requireKey } from 'miftah/express'
import { contextOf, keys } from './keys.js'

const app = express()
app.use('/api/settings', manageKeys(keys, { context: (req) => contextOf(req.headers.cookie) }))
app.get('/api/public/v1/contacts', requireKey(keys, 'contacts.read'), (req, res) => {
  res.json({ workspace: req.apiKey.workspaceId })
})
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port))
