import express from 'express'
import type {
  EndpointOptions,
  ForwardAuthOptions,
  IntrospectKeysOptions,
} from '../../../adapters/http/fetch.ts'
import type { ApiKeys, DefaultScope } from '../../../src/index.ts'
import { chosen } from './chosen-hosts.ts'
import type { RunningHost } from './guard-hosts.ts'
import { onExpress, onFastify, onFetch, onHono, onNest, type Serve } from './mounted-hosts.ts'
import { headerIn } from './requests.ts'

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

const host = (name: string, serve: Serve, parsesFirst = false): EndpointHost => ({
  ...{ name, parsesFirst },
  start: (keys, { introspection = INTROSPECTION, revocation, forwarding = FORWARDING }) =>
    serve([
      {
        path: '/introspect',
        make: (entry) => entry.introspectKeys(keys, introspection),
      },
      {
        path: '/revoke',
        make: (entry) => entry.revokeBySecret(keys, revocation),
      },
      {
        path: '/auth',
        make: (entry) => entry.forwardAuth(keys, forwarding),
      },
    ]),
})

export const endpointHosts = chosen<EndpointHost>([
  host('fetch', onFetch),
  host('express', onExpress()),
  host(
    'express behind express.urlencoded()',
    onExpress(express.urlencoded({ extended: true }), express.json(), express.text()),
    true,
  ),
  host('fastify', onFastify),
  host('hono', onHono()),
  host('nestjs on express', onNest('express')),
  host('nestjs on fastify', onNest('fastify')),
])

/** The resource servers of the tests, by their credential. */
function authorize(request: unknown) {
  const credential = headerIn(request, 'authorization')
  if (credential === 'Bearer rs-any') return 'any'
  if (credential === 'Bearer rs-throws') throw new Error('the directory is gone')
  const [, workspaceId] = /^Bearer rs-(ws_\d)$/.exec(credential ?? '') ?? []
  return workspaceId === undefined ? null : { workspaceId }
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
