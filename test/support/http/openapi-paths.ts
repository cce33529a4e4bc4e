import type {
  CreateKeyBody,
  IssuedKeyAnswer,
  KeyEventsAnswer,
  KeyListAnswer,
  ListQuery,
  ResourcesAnswer,
  RevokedKeysAnswer,
  RevokeKeyBody,
  RevokeKeysBody,
  RotatedKeyAnswer,
  RotateKeyBody,
  ScopesAnswer,
  UpdateKeyBody,
  UsageAnswer,
  WireEventsQuery,
  WireKey,
  WireResourceQuery,
  WireUsageQuery,
} from '../../../adapters/client/index.ts'

/*
 * What openapi-typescript makes of docs/openapi.json, as far as a client needs it, from the types of the
 * package. `npm run openapi` compiles the same client against the generated types themselves.
 */
export interface paths {
  '/scopes': { get: Operation<ScopesAnswer> }
  '/keys': {
    get: Operation<KeyListAnswer, { query?: ListQuery }>
    post: Operation<IssuedKeyAnswer, object, CreateKeyBody>
  }
  '/keys/revoke': { post: Operation<RevokedKeysAnswer, object, RevokeKeysBody> }
  '/resources/{type}': {
    get: Operation<ResourcesAnswer, { path: { type: string }; query?: WireResourceQuery }>
  }
  '/keys/{id}': {
    get: Operation<OneKey, OfKey>
    patch: Operation<OneKey, OfKey<{ header: { 'If-Match': string } }>, UpdateKeyBody>
  }
  '/keys/{id}/pause': { post: Operation<OneKey, OfKey, object> }
  '/keys/{id}/resume': { post: Operation<OneKey, OfKey, object> }
  '/keys/{id}/rotate': { post: Operation<RotatedKeyAnswer, OfKey, RotateKeyBody> }
  '/keys/{id}/revoke': { post: Operation<OneKey, OfKey, RevokeKeyBody> }
  '/keys/{id}/events': { get: Operation<KeyEventsAnswer, OfKey<{ query?: WireEventsQuery }>> }
  '/keys/{id}/usage': { get: Operation<UsageAnswer, OfKey<{ query: WireUsageQuery }>> }
  '/usage': { get: Operation<UsageAnswer, { query: WireUsageQuery }> }
}

interface OneKey {
  readonly key: WireKey
}

type OfKey<Others = object> = Others & { path: { id: string } }

interface Operation<Answer, Given = object, Body = undefined> {
  parameters: Given & { header?: { 'Miftah-Workspace'?: string } }
  requestBody?: Body extends undefined ? never : { content: { 'application/json': Body } }
  responses: {
    200: { content: { 'application/json': Changeable<Answer> } }
    default: { content: { 'application/problem+json': { code: string; key?: WireKey } } }
  }
}

/** Generated types have no `readonly`, and openapi-fetch knows no list that has it. */
type Changeable<T> = T extends object ? { -readonly [Name in keyof T]: Changeable<T[Name]> } : T
