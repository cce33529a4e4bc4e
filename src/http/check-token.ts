import type { ApiKeys } from '../api-keys.ts'
import { entranceOf } from '../authenticate/http-entrance.ts'
import { ownOptions } from '../lib/own-data.ts'
import type { Authentication } from '../model/denial.ts'
import type { TouchedResources } from '../restrictions/resource-check.ts'
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
  /**
   * `by_caller` where the service itself compares a restriction about which it says nothing here. Default:
   * such a key is refused.
   */
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
  const rule = resource ?? (byCaller ? ('by_handler' as const) : undefined)
  const entrance = entranceOf<S>(keys)
  if (entrance !== undefined) {
    const surroundings = {
      workspaceId,
      ...(rule && { resource: rule === 'by_handler' ? rule : () => rule }),
      ...(clientAddress !== undefined && { clientAddress: () => clientAddress }),
      ...(byCaller && { networks: 'by_caller' as const }),
    }
    return entrance.authenticate(asBearer(token), { required: null, cost: 0, surroundings })
  }
  const options = { clientAddress: clientAddress ?? null, ...(rule && { resource: rule }) }
  const result = await keys.authenticateSecret(token, null, options)
  const isOther = result.ok && (workspaceId ?? result.key.workspaceId) !== result.key.workspaceId
  return isOther ? { ok: false, reason: 'unknown' } : result
}
