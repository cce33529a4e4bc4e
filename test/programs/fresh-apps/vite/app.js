import { readdirSync } from 'node:fs'
import express from 'express'
import { manageKeys, requireKey } from 'miftah/express'
import { contextOf, keys } from './keys.js'

/** The folder of the front end that was built. */
const [front] = ['react', 'vue', 'svelte'].filter((name) => readdirSync(name).includes('dist'))

const app = express()
// Where the pages look for them, and where every app is driven.
const mounts = ['/api/settings/api-keys', '/api/settings']
app.use(mounts, manageKeys(keys, { context: (req) => contextOf(req.headers.cookie) }))
app.get('/api/public/v1/contacts', requireKey(keys, 'contacts.read'), (req, res) => {
  res.json({ workspace: req.apiKey.workspaceId })
})
app.use(express.static(`${front}/dist`))
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port))
