import { checkToken, type HttpAnswer, type TouchedResources } from '../../../../src/http/index.ts'
import type { ApiKeys, AuthenticatedKey } from '../../../../src/index.ts'
import { refuseUnknown } from '../../../../src/lib/known-names.ts'
import {
  aFunction,
  delay,
  OptionChecks,
  type OptionRules,
  optional,
  optionalFunction,
} from '../../../../src/lib/option-checks.ts'
import { ownOptions } from '../../../../src/lib/own-data.ts'
import type { Endpoint } from '../call.ts'
import { claimMetadata } from '../metadata-claims.ts'
import {
  type EndpointOptions,
  endpoint,
  invalid,
  oauthError,
  only,
  readForm,
  tokenIn,
} from './endpoint.ts'

/** Whose keys a resource server may introspect: those of one workspace, or of any. */
export type IntrospectionAccess =
  | {
      /** The workspace. */
      readonly workspaceId: string
    }
  | 'any'

/** How `introspectKeys` works for a host whose requests are `R`. */
export interface IntrospectKeysOptions<R> extends EndpointOptions {
  /**
   * Says which resource server calls (RFC 7662 §2.1): compare its own credential, never an API key of a
   * customer. `null` is answered with 401. Keys of other workspaces are inactive for it.
   */
  readonly authorize: (
    request: R,
  ) => IntrospectionAccess | null | Promise<IntrospectionAccess | null>
  /**
   * `by_caller`: a key that is restricted to resources or networks is active also where the call does not say
   * what the request touches or where it comes from; the resource server must then compare
   * `miftah_resources` and `miftah_networks` itself. Default: such a key is inactive.
   */
  readonly restrictions?: 'by_caller'
  /** How far ahead `exp` is at most, in milliseconds: 1,000 to 3,600,000. Default 60,000. */
  readonly cacheableMs?: number
  /**
   * The names of the metadata entries that answers have in `miftah_metadata`. One that `manageKeys` lets users
   * write throws a `TypeError`. Default: none.
   */
  readonly metadata?: readonly string[]
}

const INACTIVE = '{"active":false}'

const CHALLENGE = 'Basic realm="introspection", Bearer realm="introspection"'

const checks = new OptionChecks('introspectKeys')

const RULES: OptionRules<IntrospectKeysOptions<unknown>> = {
  ...{ authorize: aFunction, metadata: true, onError: optionalFunction },
  restrictions: optional((value) => value === 'by_caller', 'must be "by_caller".'),
  cacheableMs: delay(1_000, 3_600_000),
}

/** A call is checked in this order: the caller, the method, the form, the token. */
export function introspection<S extends string, R>(
  keys: ApiKeys<S>,
  options: IntrospectKeysOptions<R>,
): Endpoint<R> {
  checks.keys(keys)
  const own = checks.object(options, RULES)
  const { authorize, restrictions, cacheableMs = 60_000, metadata = [], onError } = own
  claimMetadata(keys, { introspectKeys: metadata })
  const names = [...metadata]
  return endpoint(keys, onError, async (call) => {
    const workspaceId = workspaceOf(await authorize(call.request))
    const form = await readForm(call)
    const token = tokenIn(form)
    const resource = resourcesIn(form, keys.resources.types)
    const clientAddress = only(form, 'client_address')
    const received = { token, workspaceId, resource, clientAddress, restrictions }
    const result = await checkToken(keys, received)
    if (!result.ok) return json(INACTIVE)
    const { metadata: entries, networks } = result.key
    const members = {
      ...membersOf(result.key, cacheableMs),
      ...(names.length > 0 && {
        miftah_metadata: Object.fromEntries(names.map((name) => [name, entries[name]])),
      }),
      ...(restrictions && { miftah_networks: networks }),
    }
    return json(JSON.stringify(members))
  })
}

function json(body: string): HttpAnswer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

/** `null` for any workspace. */
function workspaceOf(access: unknown): string | null {
  if (access === null) {
    const error = ['invalid_client', 'The resource server is not known here.'] as const
    throw oauthError(401, error, { 'www-authenticate': CHALLENGE })
  }
  if (access === 'any') return null
  const { workspaceId, ...others }: { readonly workspaceId?: unknown } = ownOptions(Object(access))
  refuseUnknown(others, ['workspaceId'], 'introspectKeys: the answer of "authorize" has no member')
  if (typeof workspaceId === 'string' && workspaceId !== '') return workspaceId
  throw new TypeError('introspectKeys: "authorize" must return { workspaceId }, "any" or null.')
}

/** What the request touches: `miftah_resource=project:p_1`, any number of times. */
function resourcesIn(
  form: URLSearchParams,
  types: readonly string[],
): TouchedResources | undefined {
  const pairs = form
    .getAll('miftah_resource')
    .map((value) => /^([^:]+):([!-~]{1,128})$/.exec(value))
  if (pairs.length === 0) return undefined
  const touched: Record<string, string[]> = Object.create(null)
  for (const pair of pairs) {
    const [, type = '', id = ''] = pair ?? []
    if (!types.includes(type) || pairs.length > MOST_TOUCHED) {
      throw invalid('"miftah_resource" must be the type of a resource, ":" and its id.')
    }
    touched[type] = [...(touched[type] ?? []), id]
  }
  return touched
}

const MOST_TOUCHED = 1_000

/**
 * The members of RFC 7662 §2.2. Resource servers remember an answer until `exp`, so it is near, also for a
 * key that does not expire.
 */
function membersOf(key: AuthenticatedKey, cacheableMs: number) {
  const ends = [key.expiresAt, key.retiresAt].map((end) => end?.getTime() ?? Infinity)
  return {
    active: true,
    scope: key.scopes.join(' '),
    client_id: key.id,
    username: key.workspaceId,
    token_type: 'Bearer',
    exp: Math.floor(Math.min(Date.now() + cacheableMs, ...ends) / 1_000),
    iat: Math.floor(key.createdAt.getTime() / 1_000),
    sub: key.workspaceId,
    miftah_environment: key.environment,
    miftah_resources: key.resources,
  }
}
