import type { ApiKeys } from '../../../../src/index.ts'
import type { Endpoint } from '../call.ts'
import type { EndpointOptions } from './endpoint.ts'
import { type ForwardAuthOptions, forwarding } from './forward-auth.ts'
import { type IntrospectKeysOptions, introspection } from './introspection.ts'
import { holderRevocation } from './revocation.ts'

/** The endpoints of a host whose requests are `R`, each as what the host mounts. */
export interface Endpoints<R, Mounted> {
  /** Token introspection (RFC 7662). */
  introspectKeys<S extends string, Q extends R = R>(
    keys: ApiKeys<S>,
    options: IntrospectKeysOptions<Q>,
  ): Mounted
  /** Revocation by the holder of the secret (RFC 7009). */
  revokeBySecret<S extends string>(keys: ApiKeys<S>, options?: EndpointOptions): Mounted
  /** The decision of a proxy. */
  forwardAuth<S extends string, Q extends R = R, T extends string = string>(
    keys: ApiKeys<S, T>,
    options: ForwardAuthOptions<NoInfer<S>, Q, NoInfer<T>>,
  ): Mounted
}

/**
 * The endpoints of a host, by the way in which it mounts one. The host does not know what earlier
 * middleware has added to its request; the functions of the options do.
 */
export function endpointsFor<R, Mounted>(
  mount: (answer: Endpoint<R>) => Mounted,
): Endpoints<R, Mounted> {
  return {
    introspectKeys: (keys, options) => mount(introspection(keys, options) as Endpoint<R>),
    revokeBySecret: (keys, options = {}) => mount(holderRevocation(keys, options)),
    forwardAuth: (keys, options) => mount(forwarding(keys, options) as Endpoint<R>),
  }
}
