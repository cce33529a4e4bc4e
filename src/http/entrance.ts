import type { ApiKeys } from '../api-keys.ts'
import { isOf } from '../authenticate/authenticator.ts'
import { anyEntranceOf, type Checker, type HttpEntrance } from '../authenticate/http-entrance.ts'
import type { FaultEvent } from '../events/api-key-event.ts'
import { ownOptions } from '../lib/own-data.ts'
import type { Authentication } from '../model/denial.ts'
import type { ResourceRule, TouchedResources } from '../restrictions/resource-check.ts'
import { asBearer } from './credentials.ts'

/** A token that another service has received, and what that service says of the request. */
export interface ReceivedToken {
  /** As it came, without the name of a scheme. */
  readonly token: string
  /** Whose keys the service may check; `null` for those of every workspace. */
  readonly workspaceId: string | null
  /** What the request touches. Default: not known. */
  readonly resource?: TouchedResources | undefined
  /** Where the request came from. Default: not known. */
  readonly clientAddress?: string | undefined
  /** `by_caller` where the service itself compares what it does not say here. Default: such a key is refused. */
  readonly restrictions?: 'by_caller' | undefined
}

/**
 * Decides about a token for another service, as `authenticate` decides, but for every scope at once and
 * without the limiter. A key of another workspace is `unknown`. A use of the key is counted.
 *
 * Rejects with an `OutageError` for an outage.
 */
export async function checkToken<S extends string>(
  keys: ApiKeys<S>,
  received: ReceivedToken,
): Promise<Authentication<S>> {
  const { token, workspaceId, resource, clientAddress, restrictions } = ownOptions(received)
  const byCaller = restrictions === 'by_caller'
  const rule = resource === undefined ? byCaller && ('by_handler' as const) : () => resource
  const surroundings = {
    workspaceId,
    ...(rule && { resource: rule }),
    ...(clientAddress !== undefined && { clientAddress: () => clientAddress }),
    ...(byCaller && { networks: 'by_caller' as const }),
  }
  const check = { required: null, cost: 0, surroundings }
  return entranceOf<S>(keys).authenticate(asBearer(token), check)
}

/** How these keys decide; an object that stands in for an `ApiKeys` does so by its own methods. */
export function entranceOf<S extends string>(
  keys: ApiKeys<S>,
): Pick<HttpEntrance<S>, 'authenticate' | 'authorize'> {
  const entrance = anyEntranceOf<S>(keys)
  if (entrance?.keys === keys) return entrance
  return {
    authenticate: async (header, { required, cost, surroundings }) => {
      const { workspaceId, clientAddress, resource } = surroundings ?? {}
      const address = (await clientAddress?.()) as string | null | undefined
      const result = await keys.authenticate(header, required, {
        ...(cost > 0 && { cost }),
        ...(address !== undefined && { clientAddress: address }),
        ...(resource !== undefined && { resource: await touchedBy(resource) }),
      })
      if (!result.ok || isOf(workspaceId, result.key)) return result
      return { ok: false, reason: 'unknown' }
    },
    authorize: async (key, requirement, rule) =>
      keys.authorize(key, requirement, rule ? { resource: await touchedBy(rule) } : {}),
  }
}

async function touchedBy(rule: ResourceRule): Promise<TouchedResources | 'none' | 'by_handler'> {
  if (typeof rule === 'function') return (await rule()) as TouchedResources
  return rule === 'by_route' ? 'by_handler' : rule
}

/**
 * The checks of the bodies that users of these keys send. Throws a `TypeError` for what `createApiKeys` has
 * not made.
 */
export function checkerOf<S extends string>(keys: ApiKeys<S>): Checker<S> {
  const entrance = anyEntranceOf<S>(keys)
  if (entrance !== undefined) return entrance.check
  throw new TypeError('checkerOf needs keys that createApiKeys has made.')
}

/** Sets the listener for faults where the host gave no `onEvent`, so that no outage is silent. */
export function listenToFaults<S extends string>(
  keys: ApiKeys<S>,
  listener: (fault: FaultEvent) => void,
): void {
  anyEntranceOf<S>(keys)?.listen(listener)
}
