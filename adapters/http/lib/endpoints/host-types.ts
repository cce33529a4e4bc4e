/** The types of the endpoints that every host exports. */
export type {
  EndpointOptions,
  Endpoints,
  ForwardAuthOptions,
  ForwardingProxy,
  IntrospectionAccess,
  IntrospectKeysOptions,
} from './endpoints-for.ts'
