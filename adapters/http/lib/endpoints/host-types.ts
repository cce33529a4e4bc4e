/** The types of the endpoints that every host exports. */
export type { EndpointOptions } from './endpoint.ts'
export type { Endpoints } from './endpoints-for.ts'
export type { ForwardAuthOptions, ForwardingProxy } from './forward-auth.ts'
export type { IntrospectionAccess, IntrospectKeysOptions } from './introspection.ts'
