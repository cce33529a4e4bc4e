import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ApiKeysOptions } from '../../../src/index.ts'
import { count, OptionChecks, type OptionRule, required } from '../../../src/lib/option-checks.ts'
import type { ForwardAuthOptions } from '../../http/lib/endpoints/forward-auth.ts'
import type { IntrospectKeysOptions } from '../../http/lib/endpoints/introspection.ts'
import { headerLines, type NodeRequest } from '../../http/lib/node/header-lines.ts'
import { exportsOf } from '../config.ts'
import { named, UsageError } from '../errors.ts'

/** What `miftah serve` takes of its config module, as far as it is set. */
export interface ServeConfig {
  readonly keys: Omit<ApiKeysOptions<string>, 'storage'>
  /** For `/auth`, which is served only if one of them is set. */
  readonly forward: ForwardAuthOptions<string, NodeRequest>
  readonly introspect: Omit<IntrospectKeysOptions<NodeRequest>, 'authorize'>
  readonly server: Partial<Record<'listen' | 'listenForRevocations' | 'tokenFile', string>> &
    Partial<Record<'maxRequests' | 'requestTimeoutMs', number>>
}

/** The exports of each group; all but those of `server` are checked by what takes them. */
const EXPORTS: Readonly<Record<keyof ServeConfig, string>> = {
  keys: 'entitlements catalogue resources brand formats limiter privateNetworks',
  forward: 'proxy requirement resource clientAddress accept realm cleartext isSecure',
  introspect: 'restrictions cacheableMs metadata',
  server: 'listen listenForRevocations tokenFile maxRequests requestTimeoutMs',
}

const RULES: Readonly<Record<string, OptionRule>> = {
  // A default would accept what the application refuses; `null` stands for no resources.
  ...{ entitlements: required([]), catalogue: required([]), resources: required([]) },
  ...{ maxRequests: count(1, 100_000), requestTimeoutMs: count(100, 600_000) },
}

/** Loads the config module of `serve`. Throws a `UsageError` that names the export that is wrong. */
export async function loadServeConfig(path = ''): Promise<ServeConfig> {
  const config = await exportsOf(path)
  const names = Object.values(EXPORTS).join(' ').split(' ')
  const rules = Object.fromEntries(names.map((name) => [name, RULES[name] ?? (true as const)]))
  named(() => new OptionChecks(path).object(config, rules))
  const groups = Object.entries(EXPORTS).map(([group, own]) => {
    const set = own.split(' ').filter((name) => (config[name] ?? null) !== null)
    return [group, Object.fromEntries(set.map((name) => [name, config[name]]))]
  })
  return Object.fromEntries(groups)
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

/**
 * Reads the tokens of resource servers: on each line one and the workspace whose keys it may introspect, or `*`
 * for all. Throws a {@link UsageError} that names the line, never its text.
 */
export async function readTokens(file: string) {
  const content = await readFile(file, 'utf8').catch(({ code }) => {
    throw new UsageError(`${file} of the option "tokenFile" cannot be read: ${code}.`)
  })
  const tokens = new Map<string, 'any' | { readonly workspaceId: string }>()
  for (const [at, line] of content.split('\n').entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const [, token, workspaceId] = /^([\w.~-]{32,256})[ \t]+(\S{1,255})$/.exec(line.trim()) ?? []
    if (token === undefined || workspaceId === undefined) {
      throw new UsageError(
        `Line ${at + 1} of the option "tokenFile" must be a token of 32 to 256 letters, digits, -, _, . or ~, and a workspace or *.`,
      )
    }
    tokens.set(hashOf(token), workspaceId === '*' ? 'any' : { workspaceId })
  }
  if (tokens.size === 0) throw new UsageError('The file of the option "tokenFile" has no token.')
  // Found by its hash, so that the time says nothing about how much of a token is right.
  return (request: NodeRequest) => {
    const [line, ...more] = headerLines(request)('authorization')
    return more.length > 0 ? null : (tokens.get(hashOf(tokenIn(line))) ?? null)
  }
}

/** A Bearer token, or the password of Basic authentication, encoded as in a form (RFC 6749 §2.3.1). */
function tokenIn(line = ''): string {
  const [, bearer, basic = ''] = /^(?:bearer +(\S+)|basic +(\S+))$/i.exec(line) ?? []
  const [, password = ''] = Buffer.from(basic, 'base64').toString().split(':')
  return bearer ?? new URLSearchParams(`is=${password}`).get('is') ?? ''
}
