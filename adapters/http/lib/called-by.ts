/** Whether these are the first two things that a host passes when it calls what it was given. */
type Looks = (first: unknown, second: unknown) => boolean

interface Host {
  readonly name: string
  /** The last part of the name of its entry. */
  readonly entry: string
  readonly looks: Looks
}

/** What a host calls. */
export type Caller =
  | 'requireKey'
  | 'requireScope'
  | 'manageKeys'
  | 'introspectKeys'
  | 'revokeBySecret'
  | 'forwardAuth'

const memberOf = (value: unknown, name: string): unknown => Object(value)[name]
const hasMethod = (value: unknown, name: string) => typeof memberOf(value, name) === 'function'
const isNodeCall: Looks = (_request, response) => hasMethod(response, 'writeHead')

/** The more special ones first: Express calls as Node does, and adds to it. */
const HOSTS = {
  nestjs: {
    name: 'NestJS',
    entry: 'nestjs',
    looks: (context) => hasMethod(context, 'switchToHttp'),
  },
  hono: {
    name: 'Hono',
    entry: 'hono',
    looks: (c) => memberOf(memberOf(c, 'req'), 'raw') !== undefined,
  },
  fastify: {
    name: 'Fastify',
    entry: 'fastify',
    looks: (request, reply) =>
      memberOf(request, 'raw') !== undefined && typeof memberOf(reply, 'sent') === 'boolean',
  },
  fastifyPlugin: {
    name: 'Fastify',
    entry: 'fastify',
    looks: (instance) => hasMethod(instance, 'addHook'),
  },
  express: {
    name: 'Express',
    entry: 'express',
    looks: (request, response) =>
      isNodeCall(request, response) && typeof memberOf(request, 'baseUrl') === 'string',
  },
  node: { name: 'a server of Node', entry: 'express', looks: isNodeCall },
  nestMiddleware: { name: 'NestJS', entry: 'nestjs', looks: isNodeCall },
  fetch: {
    name: 'a host of Request and Response',
    entry: 'fetch',
    looks: (request) => hasMethod(memberOf(request, 'headers'), 'get'),
  },
  /** What is wrapped there, before any call. */
  fetchHandler: {
    name: 'a host of Request and Response',
    entry: 'fetch',
    looks: (handler) => typeof handler === 'function',
  },
} as const satisfies Readonly<Record<string, Host>>

/**
 * The same work, which throws a `TypeError` at once unless its own host calls. Most hosts take any
 * function, and one for another host would answer every request with an error, or none with anything.
 */
export function onlyFor<F extends (...args: never[]) => unknown>(
  own: keyof typeof HOSTS,
  caller: Caller,
  work: F,
): F {
  const { looks, entry }: Host = HOSTS[own]
  function checked(...args: Parameters<F>): unknown {
    // NestJS takes the guards it is given for classes.
    if (new.target !== undefined) throw wrongHost(caller, entry, HOSTS.nestjs)
    if (looks(args[0], args[1])) return work(...args)
    const found = Object.values(HOSTS).find((host) => host.looks(args[0], args[1]))
    const error = wrongHost(caller, entry, found)
    // What a plugin throws at once, Fastify does not catch.
    if (found === HOSTS.fastifyPlugin) return Promise.reject(error)
    throw error
  }
  return checked as F
}

/** The error for what another host than that of `entry` has called, which names the right import. */
function wrongHost(caller: Caller, entry: string, found: Host | undefined): TypeError {
  const what = `${caller} of miftah/${entry}`
  if (found === undefined) return new TypeError(`${what} was called by a host that it is not for.`)
  const right = entryFor(caller, found)
  if (right === entry) return new TypeError(`${what} is not mounted as docs/http.md shows.`)
  return new TypeError(`${what} was called by ${found.name}: import it from miftah/${right}.`)
}

function entryFor(caller: Caller, { entry, looks }: Host): string {
  // NestJS on Fastify passes what Node passes.
  if (caller === 'manageKeys' && looks === isNodeCall) return 'nestjs'
  return entry
}
