import type { ApiKeys } from '../../../../src/index.ts'
import type { Endpoint } from '../call.ts'
import type { EndpointOptions } from './endpoint.ts'
import { type ForwardAuthOptions, forwarding } from './forward-auth.ts'
import { type IntrospectKeysOptions, introspection } from './introspection.ts'
import { holderRevocation } from './revocation.ts'

/**
 * The endpoints of a host whose requests are `R`, by the way in which it mounts one. The host does not know what
 * earlier middleware has added to its request; the functions of the options do.
 */
export function endpointsFor<R, Mounted>(mount: (answer: Endpoint<R>) => Mounted) {
  return {
    introspectKeys: <S extends string, Q extends R = R>(
      keys: ApiKeys<S>,
      options: IntrospectKeysOptions<Q>,
    ): Mounted => mount(introspection(keys, options) as Endpoint<R>),
    revokeBySecret: <S extends string>(keys: ApiKeys<S>, options: EndpointOptions = {}): Mounted =>
      mount(holderRevocation(keys, options)),
    forwardAuth: <S extends string, Q extends R = R, T extends string = string>(
      keys: ApiKeys<S, T>,
      options: ForwardAuthOptions<NoInfer<S>, Q, NoInfer<T>>,
    ): Mounted => mount(forwarding(keys, options) as Endpoint<R>),
  }
}
