import type { ApiKeysOptions } from '../../../src/index.ts'
import type { ForwardAuthOptions } from '../../http/lib/endpoints/forward-auth.ts'
import type { IntrospectKeysOptions } from '../../http/lib/endpoints/introspection.ts'
import type { NodeRequest } from '../../http/lib/node/header-lines.ts'
import { namedExports } from '../config.ts'
import { UsageError } from '../errors.ts'

/** What a config must have, and what to say where it is missing. */
const REQUIRED = {
  entitlements: 'what the plan of a workspace allows',
  catalogue: 'the scopes of the application',
  resources: 'what defineResources has made, or null',
}

/** The exports of a config by what takes them; those of `server` are of `serve` alone. */
const EXPORTS = {
  keys: 'entitlements catalogue resources brand formats limiter privateNetworks',
  forward: 'proxy requirement resource clientAddress accept realm cleartext isSecure',
  introspect: 'restrictions cacheableMs metadata',
  server: 'listen listenForRevocations tokenFile maxRequests requestTimeoutMs',
}

/** What `miftah serve` takes of its config module, as far as it is set; checked where it is used. */
export interface ServeConfig {
  readonly keys: Omit<ApiKeysOptions<string>, 'storage'>
  /** For `/auth`; without any, there is none. */
  readonly forward: ForwardAuthOptions<string, NodeRequest>
  readonly introspect: Omit<IntrospectKeysOptions<NodeRequest>, 'authorize'>
  readonly server: Readonly<Record<string, unknown>>
}

/** Loads the config module of `serve`. Throws a {@link UsageError} that names what is missing. */
export async function loadServeConfig(path: string): Promise<ServeConfig> {
  const names = Object.values(EXPORTS).join(' ').split(' ')
  const config = await namedExports(path, names, { hasOthers: false })
  for (const [name, what] of Object.entries(REQUIRED)) {
    if (config[name] === undefined) throw new UsageError(`${path} must export "${name}": ${what}.`)
  }
  const set = Object.entries(config).filter(([, value]) => value !== null)
  const groups = Object.entries(EXPORTS).map(([group, own]) => [
    group,
    Object.fromEntries(set.filter(([name]) => own.split(' ').includes(name))),
  ])
  return Object.fromEntries(groups)
}

/** How many requests a listener works on at once, and how long a client may take to send one. */
export function limitsOf({
  maxRequests = 1_000,
  requestTimeoutMs = 10_000,
}: ServeConfig['server']) {
  return {
    maxRequests: wholeNumber('maxRequests', maxRequests, 1, 100_000),
    requestTimeoutMs: wholeNumber('requestTimeoutMs', requestTimeoutMs, 100, 600_000),
  }
}

function wholeNumber(name: string, value: unknown, least: number, most: number): number {
  const number = Number.isInteger(value) ? Number(value) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`Option "${name}" must be a whole number from ${least} to ${most}.`)
}

/** An option that must be `HOST:PORT`, an IPv6 address in brackets. */
export function addressOf(name: string, value: unknown) {
  const address = /^(?:\[([\da-f:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/i
  const [, six, other, digits] = address.exec(`${value}`) ?? []
  const [host, port] = [six ?? other, Number(digits)]
  if (typeof value === 'string' && host !== undefined && port <= 65_535) return { host, port }
  throw new UsageError(`Option "${name}" must be HOST:PORT, such as 127.0.0.1:8181.`)
}
