import { fileURLToPath } from 'node:url'
import express, { type Express, type Request, type Response } from 'express'
import type { ApiKeys } from 'miftah'
import { manageKeys, requireKey } from 'miftah/express'
import { demoWorkspaces, findWorkspace } from './demo-data.ts'
import { ownHostsOnly } from './own-hosts.ts'
import { SESSION_COOKIE, signedInWorkspace } from './session.ts'

/** The page runs without inline scripts and styles; Lit makes the one Trusted Types policy. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ')

/**
 * The whole product: its public API, its settings routes, and the page that shows them. It answers to
 * its own addresses and to `otherHosts`.
 */
export function createApp(keys: ApiKeys, otherHosts: readonly string[]): Express {
  const app = express()
  app.disable('x-powered-by')
  app.use(ownHostsOnly(otherHosts))
  app.use('/api/public/v1', publicApi(keys))
  app.use('/api/settings/api-keys', manageKeys(keys, { context: signedInUser }))
  app.use('/demo', demoSession())
  app.use(pages())
  return app
}

function publicApi(keys: ApiKeys) {
  const routes = express.Router()
  routes.get('/contacts', requireKey(keys, 'contacts.read'), (request, response) => {
    const workspaceId = request.apiKey?.workspaceId ?? ''
    response.json({ contacts: findWorkspace(workspaceId)?.contacts ?? [] })
  })
  // The costly route of the product: four reports in a minute are one too many.
  routes.get('/report', requireKey(keys, 'contacts.read', { cost: 20 }), (request, response) => {
    const workspaceId = request.apiKey?.workspaceId ?? ''
    response.json({ contacts: findWorkspace(workspaceId)?.contacts.length ?? 0 })
  })
  return routes
}

function signedInUser(request: Request) {
  const workspace = signedInWorkspace(request.headers.cookie)
  return workspace && { workspaceId: workspace.id, user: workspace.user }
}

/** Which workspace the demo user looks at; a click on the page changes it. */
function demoSession() {
  const routes = express.Router()
  routes.get('/session', (request, response) => {
    const current = signedInWorkspace(request.headers.cookie)
    const workspaces = demoWorkspaces().map(({ id, name, plan, user }) => ({
      id,
      name,
      plan,
      user,
    }))
    response.set('Cache-Control', 'no-store').json({ current: current?.id ?? null, workspaces })
  })
  routes.post('/session/:workspace', (request, response) => {
    const workspace = findWorkspace(request.params.workspace)
    if (workspace === undefined) return void response.sendStatus(404)
    enter(response, workspace.id)
    response.sendStatus(204)
  })
  return routes
}

function enter(response: Response, workspaceId: string): void {
  response.cookie(SESSION_COOKIE, workspaceId, { httpOnly: true, sameSite: 'strict' })
}

function pages() {
  const routes = express.Router()
  const folder = fileURLToPath(new URL('public', import.meta.url))
  const built = fileURLToPath(new URL('.', import.meta.resolve('miftah/settings-tab')))
  routes.use((_request, response, next) => {
    response.set({
      'Content-Security-Policy': PAGE_POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
    })
    next()
  })
  routes.get(['/', '/gallery'], (request, response, next) => {
    // The demo has no sign-in page: its visitor is the user of the first workspace.
    if (signedInWorkspace(request.headers.cookie) === null) enter(response, 'business')
    next()
  })
  routes.get(/^\/settings-tab[\w-]*\.js$/, (request, response) => {
    // Express hides files below a folder whose name begins with a dot, such as pnpm's.
    response.sendFile(request.path, { root: built, dotfiles: 'allow' })
  })
  routes.use(express.static(folder, { extensions: ['html'] }))
  return routes
}
