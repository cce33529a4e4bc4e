/** A route behind a guard, and what its guards say about resources. */
export interface GuardedRoute {
  /** The method in upper case; `ALL` for any. */
  readonly method: string
  /** The path as the framework was given it. */
  readonly path: string
  /**
   * The last word of its guards: `named` by a function; `by_route` where no guard of the route has followed;
   * `null` where none says anything. Restricted keys are refused with the last two.
   */
  readonly resource: 'named' | 'none' | 'by_handler' | 'by_route' | null
}

type Word = GuardedRoute['resource']

/** What the adapters put on their guards. */
const MARKER = Symbol.for('miftah.guard')

/**
 * The routes of an application that `requireKey` guards: for a test of your own that fails when a route forgot
 * to name its resource. For Express 4 and 5, Hono and Fastify. Fastify tells its routes only as they are added:
 * pass the instance before, and read the list after `ready()`.
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { createApiKeys, defineResources, plans } from 'miftah'
 * import { requireKey } from 'miftah/express'
 * import { memoryStorage } from 'miftah/memory'
 * import { guardedRoutes } from 'miftah/testing'
 *
 * const keys = createApiKeys({
 *   storage: memoryStorage(),
 *   entitlements: () => plans.business,
 *   resources: defineResources([{ type: 'project', label: { en: 'Projects' } }]),
 * })
 * const app = express()
 * app.get('/me', requireKey(keys, null, { resource: 'none' }), (_req, res) => void res.json({}))
 * app.get('/contacts', requireKey(keys, 'contacts.read'), (_req, res) => void res.json([]))
 *
 * const forgotten = ({ resource }: { resource: string | null }) => resource === null || resource === 'by_route'
 * guardedRoutes(app).filter(forgotten) //=> [{ method: 'GET', path: '/contacts', resource: null }]
 * ```
 */
export function guardedRoutes(app: object): readonly GuardedRoute[] {
  const { routes, router, _router, addHook } = app as Framework
  if (typeof addHook === 'function') return ofFastify(app as Fastify)
  if (Array.isArray(routes)) return ofHono(routes)
  const { stack } = Object(_router ?? router) as { readonly stack?: readonly Layer[] }
  if (Array.isArray(stack)) return ofExpress(stack, '', [])
  throw new TypeError('guardedRoutes takes an application of Express, Fastify or Hono.')
}

interface Framework {
  readonly routes?: readonly HonoRoute[]
  readonly router?: unknown
  readonly _router?: unknown
  readonly addHook?: unknown
}

/** A guard that has been met, and the paths that it stands before. */
interface Met {
  readonly under: string
  readonly word: Word
}

function wordOf(handler: unknown): readonly Word[] {
  const mark = Object(handler)[MARKER] as { readonly resource: Word } | undefined
  return mark === undefined ? [] : [mark.resource]
}

/** Nothing for a route without a guard. */
function routeOf(method: string, path: string, words: readonly Word[]): readonly GuardedRoute[] {
  if (words.length === 0) return []
  const resource = words.findLast((word) => word !== null) ?? null
  return [{ method: method.toUpperCase(), path, resource }]
}

function covering(met: readonly Met[], path: string): readonly Word[] {
  return met.flatMap(({ under, word }) => (`${path}/`.startsWith(`${under}/`) ? [word] : []))
}

interface Layer {
  readonly handle: { readonly stack?: readonly Layer[] }
  readonly method?: string
  /** Express 5; Express 4 keeps a regular expression alone. */
  readonly rawPath?: unknown
  readonly regexp?: RegExp
  readonly route?: { readonly path: unknown; readonly stack: readonly Layer[] }
}

function ofExpress(stack: readonly Layer[], base: string, outer: readonly Met[]): GuardedRoute[] {
  const met = [...outer]
  return stack.flatMap((layer) => {
    const { handle, route } = layer
    const path = base + (route ? String(route.path) : mountOf(layer))
    if (handle.stack) return ofExpress(handle.stack, path, met)
    met.push(...wordOf(handle).map((word) => ({ under: path, word })))
    if (!route) return []
    const words = [...covering(met, path), ...route.stack.flatMap((inner) => wordOf(inner.handle))]
    const methods = new Set(route.stack.map(({ method = 'all' }) => method))
    return [...methods].flatMap((method) => routeOf(method, path, words))
  })
}

function mountOf({ rawPath, regexp }: Layer): string {
  const source = regexp?.source.replace(/\\\/\?\(\?=.*$/, '').replace(/^\^/, '')
  return String(rawPath ?? source ?? '')
    .replaceAll('\\/', '/')
    .replace(/\/$/, '')
}

interface HonoRoute {
  readonly method: string
  readonly path: string
  readonly handler: unknown
}

function ofHono(routes: readonly HonoRoute[]): readonly GuardedRoute[] {
  const met: Met[] = []
  return routes.flatMap(({ method, path, handler }) => {
    const words = wordOf(handler)
    met.push(...words.map((word) => ({ under: path.replace(/\/\*$/, ''), word })))
    return words.length > 0 ? [] : routeOf(method, path, covering(met, path))
  })
}

interface Hooks {
  readonly [name: string]: unknown
}

interface Fastify {
  addHook(name: 'onRoute', hook: (this: object, route: Hooks) => void): unknown
  addHook(name: 'onReady', hook: (done: () => void) => void): unknown
}

const HOOKS = ['onRequest', 'preParsing', 'preValidation', 'preHandler']

function ofFastify(app: Fastify): readonly GuardedRoute[] {
  const added: (readonly [object, Hooks])[] = []
  const found: GuardedRoute[] = []
  app.addHook('onRoute', function (route) {
    added.push([this, route])
  })
  app.addHook('onReady', (done) => {
    for (const [instance, route] of added) {
      const all = hooksOf(instance)
      const words = HOOKS.flatMap((name) => [all[name], route[name]].flat().flatMap(wordOf))
      for (const method of [route['method']].flat())
        found.push(...routeOf(String(method), String(route['url']), words))
    }
    done()
  })
  return found
}

/** The hooks of a plugin, those that it has inherited too. */
function hooksOf(instance: object): Hooks {
  for (let at: object | null = instance; at !== null; at = Object.getPrototypeOf(at)) {
    const name = Object.getOwnPropertySymbols(at).find(
      ({ description }) => description === 'fastify.hooks',
    )
    if (name !== undefined) return Reflect.get(at, name)
  }
  return {}
}
