import { readFileSync } from 'node:fs'
import fastify, { type FastifyPluginCallback, type onRequestHookHandler } from 'fastify'
import type { Context } from 'hono'
import { describe, expect, test } from 'vitest'
import * as inFastify from '../../../adapters/http/fastify.ts'
import * as inHono from '../../../adapters/http/hono.ts'
import { loader, runSnippet } from '../../house/run-snippet.ts'
import { fencesIn } from '../../house/snippets.ts'
import { ENTRIES } from '../../support/entries.ts'
import {
  listen,
  listenFastify,
  type RunningHost,
  serveHono,
} from '../../support/http/guard-hosts.ts'
import { served } from '../../support/http/host-for.ts'
import { issueKey, testKeys, USER } from '../../support/http/keys.ts'

/* "A key or a session" in docs/http.md, by the plugins that combine guards. */

/** By its name: the second Hono has the types of the first. */
const load = loader(ENTRIES)

const backend = testKeys()
const { keys } = backend
const COOKIE = 'session=1'
let ran = 0
const contacts = () => {
  ran += 1
  return []
}

async function startFastify(sessionFirst: boolean): Promise<RunningHost> {
  const guard = inFastify.requireKey(keys, 'contacts.read')
  const refuse = () => {
    throw Object.assign(new Error('not signed in'), { statusCode: 401 })
  }
  const session = async ({ headers }: { headers: object }) =>
    Reflect.get(headers, 'cookie') === COOKIE || refuse()
  const keyIfSent: inFastify.KeyGuard = async (request, reply) =>
    request.raw.headers.authorization ? guard(request, reply) : refuse()
  const app = fastify({ forceCloseConnections: true })
  const { default: auth } = (await load('@fastify/auth')) as { default: FastifyPluginCallback }
  await app.register(auth)
  const { auth: some } = app as unknown as { auth(functions: unknown[]): onRequestHookHandler }
  const either = some(sessionFirst ? [session, guard] : [keyIfSent, session])
  app.get('/contacts', { onRequest: either }, async () => contacts())
  return listenFastify(app)
}

const startHono = (name: string) => async () => {
  const { Hono } = (await load(name)) as typeof import('hono')
  const { some } = (await load(`${name}/combine`)) as typeof import('hono/combine')
  const isMember = (c: Context) => c.req.header('cookie') === COOKIE
  const app = new Hono().use(some(isMember, inHono.requireKey(keys, 'contacts.read')))
  app.get('/contacts', (c) => c.json(contacts()))
  return listen(serveHono(app))
}

const HONOS = ['hono', 'hono-4.12']

test.each([
  ['@fastify/auth, the session first', () => startFastify(true), 200],
  ['@fastify/auth, the key first', () => startFastify(false), 401],
  ...HONOS.map((name) => [`${name}/combine`, startHono(name), 200] as const),
] as const)('a key or a session with %s', async (_, start, withBoth) => {
  const port = await served(start())
  const call = async (headers: Record<string, string>) => {
    ran = 0
    const { status } = await fetch(`http://127.0.0.1:${port}/contacts`, { headers })
    expect(ran).toBe(status === 200 ? 1 : 0)
    return status
  }
  const good = `Bearer ${(await issueKey(backend)).secret}`
  const { key, secret } = await issueKey(backend)
  await keys.revokeKey({ workspaceId: key.workspaceId, id: key.id, actor: USER })
  const revoked = `Bearer ${secret}`
  expect(await call({ authorization: good })).toBe(200)
  expect(await call({ cookie: COOKIE })).toBe(200)
  expect(await call({ authorization: good, cookie: COOKIE })).toBe(200)
  expect(await call({ authorization: revoked })).toBe(401)
  expect(await call({})).toBe(401)
  expect(await call({ authorization: revoked, cookie: COOKIE })).toBe(withBoth)
})

describe.each(HONOS)('the recipe of the page on %s', (name) => {
  const page = fencesIn('docs/http.md', readFileSync('docs/http.md', 'utf8'))
  const recipes = page.filter(({ code }) => code.includes("'hono/combine'"))

  test.each(recipes)('$place', async ({ code }) => {
    const shown: unknown[] = []
    await runSnippet(
      code,
      (from) => load(from.replace(/^hono(?=$|\/)/, name)),
      (actual, expected) => shown.push([actual, expected]),
    )
    expect(shown).toEqual([
      [200, 200],
      [401, 401],
    ])
  })
})
