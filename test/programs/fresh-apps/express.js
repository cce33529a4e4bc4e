import express from 'express'
import { manageKeys, requireKey } from 'miftah/express'
import { contextOf, keys } from './keys.js'

const context = (req) => contextOf(req.headers.cookie)

const app = express()
app.use('/api/settings', manageKeys(keys, { context }))
app.get('/api/public/v1/contacts', requireKey(keys, 'contacts.read'), (req, res) => {
  res.json({ workspace: req.apiKey.workspaceId })
})
app.post('/api/public/v1/echo', requireKey(keys, null), express.json(), (req, res) => {
  res.json(req.body)
})
app.get('/api/public/v1/broken', requireKey(keys, null), () => {
  throw new Error('the handler failed')
})
app.use('/api/parsed', express.json(), manageKeys(keys, { context }))
app.use((_error, _req, res, _next) => res.status(500).json({ page: 'of the host' }))
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port))
