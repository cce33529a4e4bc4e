import type { ApiKeys } from '../../../src/index.ts'
import { guardHosts } from '../../support/http/guard-hosts.ts'
import { USER } from '../../support/http/keys.ts'
import { BASE } from '../../support/http/management-call.ts'
import {
  type Mount,
  onExpress,
  onFastify,
  onFetch,
  type Serve,
} from '../../support/http/mounted-hosts.ts'

const SERVES: Readonly<Record<string, Serve>> = {
  express: onExpress(),
  fastify: onFastify,
  fetch: onFetch,
}

const forwarding = {
  proxy: 'nginx',
  requirement(_method: string, path: string) {
    if (path.startsWith('/broken')) throw new Error(`no route for ${path.length} letters`)
    return path === '/contacts' ? ('contacts.read' as const) : undefined
  },
} as const

/** Starts a host of guarded routes and one of all that there is to mount; which of them has a path. */
export async function startHosts(name: string, keys: ApiKeys) {
  const onError = console.error
  const context = () => ({ workspaceId: 'ws_1', user: USER })
  const introspection = { authorize: () => 'any', onError }
  const mounts: readonly Mount[] = [
    {
      path: BASE,
      isTree: true,
      make: (on, at) => on.manageKeys(keys, { ...at, context, onError }),
    },
    { path: '/introspect', make: (on) => on.introspectKeys(keys, introspection) },
    { path: '/revoke', make: (on) => on.revokeBySecret(keys, { onError }) },
    { path: '/auth', make: (on) => on.forwardAuth(keys, { ...forwarding, onError }) },
  ]
  const guarded = await guardHosts.find((host) => host.name === name)?.start(keys)
  const mounted = await SERVES[name]?.(mounts)
  if (guarded === undefined || mounted === undefined) throw new Error(`there is no host ${name}`)
  return {
    portOf: (path: string) => (/^\/(?:contacts|broken)/.test(path) ? guarded : mounted).port,
    close: () => Promise.all([guarded.close(), mounted.close()]),
  }
}

export const NAMES = Object.keys(SERVES)
