import type { ApiKeysOptions, ResourceTypes, ScopeCatalogue } from '../../../src/index.ts'
import type { ForwardAuthOptions } from '../../http/lib/endpoints/forward-auth.ts'
import type { IntrospectKeysOptions } from '../../http/lib/endpoints/introspection.ts'
import type { NodeRequest } from '../../http/lib/node/header-lines.ts'
import { namedExports } from '../config.ts'
import { UsageError } from '../usage-error.ts'

type Forwarding = ForwardAuthOptions<string, NodeRequest>
type Introspection = IntrospectKeysOptions<NodeRequest>

/**
 * What `miftah serve` takes of its config module: exports of these names, or properties of its default export.
 * Those that `createApiKeys`, `forwardAuth` and `introspectKeys` have mean what they mean there.
 */
export interface ServeConfig
  extends Pick<
      ApiKeysOptions<string>,
      'entitlements' | 'brand' | 'formats' | 'limiter' | 'privateNetworks'
    >,
    Pick<Forwarding, 'proxy' | 'requirement' | 'resource' | 'clientAddress' | 'accept' | 'realm'>,
    Pick<Introspection, 'restrictions' | 'cacheableMs' | 'metadata'> {
  readonly catalogue: ScopeCatalogue<string>
  /** What `defineResources` has made, or `null` for no resources. */
  readonly resources: ResourceTypes | null
  /** Where forward authentication and introspection listen. Default `127.0.0.1:8181`. */
  readonly listen?: string
  /** Where holders of keys end them. Default: nowhere. */
  readonly listenForRevocations?: string
  /** The tokens of resource servers. Default: no introspection. */
  readonly tokenFile?: string
  /** How many requests each listener works on at once: 1 to 100,000. Default 1,000. */
  readonly maxRequests?: number
  /** How long a client may take to send a request: 100 to 600,000. Default 10,000. */
  readonly requestTimeoutMs?: number
}

/** What a config must have, and what to say where it is missing. */
const REQUIRED = {
  entitlements: 'what the plan of a workspace allows',
  catalogue: 'the scopes of the application',
  resources: 'what defineResources has made, or null',
  requirement: 'what a key needs for a method and a path',
  proxy: 'nginx, traefik, caddy or envoy',
} as const satisfies { readonly [Name in keyof ServeConfig]?: string }

const OPTIONAL = [
  'brand',
  'formats',
  'limiter',
  'privateNetworks',
  'resource',
  'clientAddress',
  'accept',
  'realm',
  'restrictions',
  'cacheableMs',
  'metadata',
  'listen',
  'listenForRevocations',
  'tokenFile',
  'maxRequests',
  'requestTimeoutMs',
] as const satisfies readonly (keyof ServeConfig)[]

/** Loads the config module of `serve`. Throws a {@link UsageError} that names what is missing. */
export async function loadServeConfig(path: string): Promise<ServeConfig> {
  const required = Object.entries(REQUIRED)
  const names = [...required.map(([name]) => name), ...OPTIONAL]
  const config = await namedExports(path, names)
  for (const [name, what] of required) {
    if (config[name] === undefined) throw new UsageError(`${path} must export "${name}": ${what}.`)
  }
  return config as unknown as ServeConfig
}

/** The options of `config` with these names, as far as they are set. */
export function chosen<Name extends keyof ServeConfig>(
  config: ServeConfig,
  names: readonly Name[],
): Pick<ServeConfig, Name> {
  const set = names.filter((name) => (config[name] ?? undefined) !== undefined)
  return Object.fromEntries(set.map((name) => [name, config[name]])) as Pick<ServeConfig, Name>
}

/** An option that must be a whole number from `least` to `most`. */
export function wholeNumber(
  name: string,
  value: unknown,
  [least, most]: readonly [number, number],
) {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) {
    return Number(value)
  }
  throw new UsageError(`Option "${name}" must be a whole number from ${least} to ${most}.`)
}

/** An option that must be `HOST:PORT`, an IPv6 address in brackets. */
export function addressOf(name: string, value: unknown) {
  const [, six, other, digits] =
    /^(?:\[([\da-f:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/i.exec(`${value}`) ?? []
  const [host, port] = [six ?? other, Number(digits)]
  if (typeof value === 'string' && host !== undefined && port <= 65_535) return { host, port }
  throw new UsageError(`Option "${name}" must be HOST:PORT, such as 127.0.0.1:8181.`)
}
