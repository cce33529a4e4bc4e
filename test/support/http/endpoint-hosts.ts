import {
  type EndpointOptions,
  type ForwardAuthOptions,
  forwardAuth,
  type IntrospectKeysOptions,
  introspectKeys,
  revokeBySecret,
} from '../../../adapters/http/fetch.ts'
import type { ApiKeys, DefaultScope } from '../../../src/index.ts'
import { chosen } from './chosen-hosts.ts'
import { listen, type RunningHost } from './guard-hosts.ts'
import { serveFetch } from './serve-fetch.ts'

/** How a test wants the endpoints; the functions get the request of any host. */
export interface EndpointSetup {
  readonly introspection?: IntrospectKeysOptions<unknown>
  readonly revocation?: EndpointOptions
  readonly forwarding?: ForwardAuthOptions<DefaultScope, unknown>
}

/** A host of `/introspect`, `/revoke` and `/auth`. */
export interface EndpointHost {
  readonly name: string
  /** Whether something reads bodies before the endpoints see them. */
  readonly parsesFirst: boolean
  start(keys: ApiKeys, setup: EndpointSetup): Promise<RunningHost>
}

export const INTROSPECTION: IntrospectKeysOptions<unknown> = { authorize }

export const FORWARDING: ForwardAuthOptions<DefaultScope, unknown> = {
  proxy: 'nginx',
  requirement: (_method, path) => (path === '/contacts' ? 'contacts.read' : undefined),
}

export const endpointHosts = chosen<EndpointHost>([
  { name: 'fetch', parsesFirst: false, start: startFetch },
])

/** The resource servers of the tests, by their credential. */
function authorize(request: unknown) {
  const credential = headerIn(request, 'authorization')
  if (credential === 'Bearer rs-any') return 'any'
  if (credential === 'Bearer rs-throws') throw new Error('the directory is gone')
  const [, workspaceId] = /^Bearer rs-(ws_\d)$/.exec(credential ?? '') ?? []
  return workspaceId === undefined ? null : { workspaceId }
}

/** A header of the request of any host. */
export function headerIn(request: unknown, name: string): string | undefined {
  const { headers, req } = request as {
    readonly headers: Headers | Readonly<Record<string, string | undefined>>
    readonly req?: { readonly header?: (name: string) => string | undefined }
  }
  if (req?.header !== undefined) return req.header(name)
  return headers instanceof Headers ? (headers.get(name) ?? undefined) : headers[name]
}

function startFetch(keys: ApiKeys, setup: EndpointSetup): Promise<RunningHost> {
  const routes: Readonly<Record<string, (request: Request) => Promise<Response>>> = {
    '/introspect': introspectKeys(keys, setup.introspection ?? INTROSPECTION),
    '/revoke': revokeBySecret(keys, setup.revocation),
    '/auth': forwardAuth(keys, setup.forwarding ?? FORWARDING),
  }
  return listen(
    serveFetch(async (request) => {
      const route = routes[new URL(request.url).pathname]
      return route === undefined ? new Response(null, { status: 404 }) : route(request)
    }),
  )
}

/** One answer: its status, its headers without what changes by the second, and its bytes. */
export interface EndpointAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** POSTs a form, as a text or by its parameters. */
export async function postForm(
  url: string,
  form: string | Uint8Array<ArrayBuffer> | readonly (readonly [string, string])[],
  headers: Readonly<Record<string, string>> = {},
): Promise<EndpointAnswer> {
  const isRaw = typeof form === 'string' || form instanceof Uint8Array
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      // A server may close the connection on which it has refused a body.
      ...(form.length > 60_000 && { connection: 'close' }),
      ...headers,
    },
    body: isRaw ? form : new URLSearchParams(form.map(([name, value]) => [name, value])),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** An answer as it went over the wire, without its date. */
export function bytesOf({ status, headers, text }: EndpointAnswer): string {
  return JSON.stringify([status, [...headers].filter(([name]) => name !== 'date'), text])
}
