import type { GuardOptions, ScopeGuardOptions } from '../../../src/http/index.ts'
import type { AuthenticatedKey, DefaultScope, Requirement } from '../../../src/index.ts'

/** One route of a test host: its guards, and what it does once they let a request through. */
interface Route {
  /** What `requireKey` gets; without it only the scope is checked. */
  readonly key?: readonly [Requirement<DefaultScope>, GuardOptions<DefaultScope, unknown>?]
  /** What `requireScope` gets, behind it. */
  readonly scope?: readonly [Requirement<DefaultScope>, ScopeGuardOptions<DefaultScope, unknown>?]
  /** Whether there is `Vary: Origin` before the guard runs (fetch: from the handler). */
  readonly varies?: true
  readonly throws?: true
}

export type Routes = Readonly<Record<string, Route>>

/** What a handler tells of its caller, without a look at whether there is one, as handlers do. */
export function answerTo({ throws }: Route, apiKey: AuthenticatedKey | undefined) {
  if (throws) throw new Error('the handler failed')
  if (apiKey === undefined) throw new TypeError('no key')
  const { id, workspaceId } = apiKey
  return { keyId: id, workspaceId, frozen: Object.isFrozen(apiKey), fields: Object.keys(apiKey) }
}

const GUARDED: Routes = {
  contacts: { key: ['contacts.read'] },
  any: { key: [null] },
  varied: { key: [null], varies: true },
  broken: { key: [null], throws: true },
  placed: { key: [null, { accept: ['bearer', 'x-api-key', 'basic-username'] }] },
  denied: {
    key: [
      null,
      {
        onDenied: (denial, answer) => ({
          status: answer.status,
          headers: { 'content-type': 'text/plain', 'X-Reason': denial.reason },
          body: `refused: ${denial.reason}`,
        }),
      },
    ],
  },
  scoped: { key: [null], scope: ['contacts.read'] },
  open: { scope: ['contacts.read'] },
}

/** What the request of any host asks for. */
function queryOf(request: unknown): URLSearchParams {
  const { url, req } = request as { readonly url?: string; readonly req?: { readonly url: string } }
  return new URL(url ?? req?.url ?? '', 'http://host.example').searchParams
}

const project = (request: unknown) => ({ project: queryOf(request).getAll('project') })
const isSecure = (request: unknown) => queryOf(request).has('tls')
const any = (options: GuardOptions<DefaultScope, unknown>) => ({ key: [null, options] }) as const
const byRoute = any({ resource: 'by_route' })

/** Routes that look at what the request touches, where it comes from, and whether it came over TLS. */
const BY_REQUEST: Routes = {
  named: any({ resource: project }),
  addressed: any({ clientAddress: (request) => queryOf(request).get('address') }),
  routed: { ...byRoute, scope: ['contacts.read', { resource: project }] },
  routedthrows: {
    ...byRoute,
    scope: [null, { resource: () => Promise.reject(new Error('the database is gone')) }],
  },
  unguarded: byRoute,
  refusedinclear: any({ cleartext: 'refuse', isSecure }),
}

/** What every test host has; `tls` in the query says that a request came over TLS. */
export const ROUTES: Routes = { ...GUARDED, ...BY_REQUEST }
