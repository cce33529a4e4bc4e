/** The types that every host exports. */
export type { EndpointOptions } from './endpoints/endpoint.ts'
export type { Endpoints } from './endpoints/endpoints-for.ts'
export type { ForwardAuthOptions, ForwardingProxy } from './endpoints/forward-auth.ts'
export type { IntrospectionAccess, IntrospectKeysOptions } from './endpoints/introspection.ts'
export type {
  ContextAnswer,
  KeyOperation,
  ManageKeysOptions,
  ManagementContext,
  ManagementDetail,
  ManagementOperation,
  NamedResource,
  ResourcePage,
  ResourceSource,
} from './management/call.ts'
