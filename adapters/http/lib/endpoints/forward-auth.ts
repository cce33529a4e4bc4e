import {
  createGuard,
  type Guard,
  type GuardOptions,
  type HeaderLines,
  problem,
  type TouchedResources,
} from '../../../../src/http/index.ts'
import type { ApiKeys, AuthenticatedKey, Requirement } from '../../../../src/index.ts'
import {
  aFunction,
  OptionChecks,
  type OptionRules,
  optionalFunction,
} from '../../../../src/lib/option-checks.ts'
import type { Endpoint } from '../call.ts'
import { Refusal } from '../management/refusal.ts'
import { type EndpointOptions, endpoint } from './endpoint.ts'

/** The proxies that `forwardAuth` can stand behind. */
export type ForwardingProxy = 'nginx' | 'traefik' | 'caddy' | 'envoy'

/** How `forwardAuth` works for a host whose requests are `R`. */
export interface ForwardAuthOptions<S extends string, R, T extends string = string>
  extends EndpointOptions,
    Pick<GuardOptions<S, R>, 'realm' | 'accept' | 'cost' | 'onDenied' | 'cleartext' | 'isSecure'> {
  /**
   * Which proxy calls, and so which headers name the original method and path: `X-Original-Method` and
   * `X-Original-URI` for nginx and Envoy, whose configuration sets them; `X-Forwarded-Method` and
   * `X-Forwarded-Uri` for Traefik and Caddy. No other headers are read.
   */
  readonly proxy: ForwardingProxy
  /**
   * What a key needs for a path, whose percent-encoding is decoded and which is without its query. `null`
   * accepts any valid key, and `undefined` refuses with 403: return it for every path that you do not know.
   */
  readonly requirement: (
    method: string,
    path: string,
    request: R,
  ) => Requirement<S> | undefined | Promise<Requirement<S> | undefined>
  /** What the original request touches, for restricted keys, or `'none'`. Default: such keys are refused. */
  readonly resource?:
    | 'none'
    | ((
        method: string,
        path: string,
        request: R,
      ) => TouchedResources<T> | Promise<TouchedResources<T>>)
  /** The address of the original client, which the proxy must set. Default: keys with networks are refused. */
  readonly clientAddress?: (request: R) => string | null | Promise<string | null>
}

const ORIGINAL = ['x-original-method', 'x-original-uri'] as const
const FORWARDED = ['x-forwarded-method', 'x-forwarded-uri'] as const

const PAIRS = { nginx: ORIGINAL, envoy: ORIGINAL, traefik: FORWARDED, caddy: FORWARDED }
const PROXIES = Object.keys(PAIRS)

/** What a proxy says of the original request. */
interface Original<R> {
  readonly method: string
  readonly path: string
  readonly request: R
}

const checks = new OptionChecks('forwardAuth')

const RULES: OptionRules<ForwardAuthOptions<string, unknown>> = {
  proxy: (value) =>
    PROXIES.some((known) => known === value) ? null : `must be ${PROXIES.join(', ')}.`,
  requirement: aFunction,
  resource: (value) => (value === 'none' ? null : optionalFunction(value)),
  clientAddress: optionalFunction,
  ...{ accept: true, realm: true, cost: true, cleartext: true, onDenied: true },
  ...{ isSecure: optionalFunction, onError: optionalFunction },
}

/** A call is checked in this order: the original method and path, what they require, the key. */
export function forwarding<S extends string, R>(
  keys: ApiKeys<S>,
  options: ForwardAuthOptions<S, R>,
): Endpoint<R> {
  checks.keys(keys)
  const own = checks.object<ForwardAuthOptions<S, R>>(options, RULES)
  const { onError, proxy, requirement, resource, clientAddress, isSecure, ...presentation } = own
  const guardOptions: GuardOptions<S, Original<R>> = {
    ...presentation,
    ...(clientAddress && { clientAddress: ({ request }) => clientAddress(request) }),
    ...(isSecure && { isSecure: ({ request }) => isSecure(request) }),
    ...(resource === 'none' && { resource }),
    ...(typeof resource === 'function' && {
      resource: ({ method, path, request }) => resource(method, path, request),
    }),
  }
  // A bad option is an error at once.
  createGuard(keys, null, guardOptions)
  const guards = new Map<string, Guard<S, Original<R>>>()
  const guardFor = (required: Requirement<S>) => {
    const name = JSON.stringify(required)
    const guard = guards.get(name) ?? createGuard(keys, required, guardOptions)
    guards.set(name, guard)
    return guard
  }
  return endpoint(keys, onError, async ({ lines, request }) => {
    const original = { ...originalIn(lines, PAIRS[proxy]), request }
    const required = await requirement(original.method, original.path, request)
    if (required === undefined) throw refusal(403, 'forbidden', 'API keys do not open this path.')
    const guard = guardFor(required)
    // Never as OPTIONS: the guard answers a preflight with 204, which a proxy takes for a yes.
    const verdict = await guard.check('GET', lines, original)
    if (!verdict.ok) return verdict.answer
    const headers = { ...verdict.headers, vary: guard.vary, ...identityOf(verdict.key) }
    return { status: 200, headers, body: '' }
  })
}

function refusal(status: number, code: string, detail: string): Refusal {
  return new Refusal(problem(status, { code, detail }))
}

/** Two lines of one header reach a Web-standard host as one, with a comma. */
function originalIn(lines: HeaderLines, [method, uri]: readonly [string, string]) {
  const [name = '', ...names] = lines(method)
  const [target = '', ...targets] = lines(uri)
  const path = pathOf(target)
  if (names.length + targets.length > 0 || !/^[A-Z]{1,32}$/.test(name) || path === null) {
    throw refusal(400, 'bad_request', 'The method or path of the request is missing or ambiguous.')
  }
  return { method: name, path }
}

/** What a proxy and the service behind it may read as different paths. */
const AMBIGUOUS = /[^!-~]|[\\;#]|\/\/|\/\.{1,2}(?:\/|$)|%(?:2e|2f|5c|25)/i

/** The decoded path of a request target; `null` for one that is broken or ambiguous. */
function pathOf(target: string): string | null {
  const [path = ''] = target.split('?')
  if (!path.startsWith('/') || AMBIGUOUS.test(path)) return null
  try {
    const decoded = decodeURIComponent(path)
    return /\p{Cc}/u.test(decoded) ? null : decoded
  } catch {
    // Not UTF-8, or no digits after a percent sign.
    return null
  }
}

/** On every 200, and never empty, so that nothing a client has sent can take their place. */
function identityOf(key: AuthenticatedKey | null): Readonly<Record<string, string>> {
  if (key === null) throw new Error('forwardAuth: the key is not known.')
  return {
    'x-api-key-id': encoded(key.id),
    'x-workspace-id': encoded(key.workspaceId),
    'x-api-key-scopes': key.scopes.map(encoded).join(' ') || '-',
  }
}

function encoded(text: string): string {
  return text === '-' ? '%2D' : encodeURIComponent(text)
}
