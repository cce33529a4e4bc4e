import type { Server } from 'node:http'
import type { HttpAnswer } from '../../../src/http/index.ts'
import { type ApiKeys, createApiKeys } from '../../../src/index.ts'
import type { Endpoint } from '../../http/lib/endpoints/endpoint.ts'
import { forwarding } from '../../http/lib/endpoints/forward-auth.ts'
import { introspection } from '../../http/lib/endpoints/introspection.ts'
import { holderRevocation } from '../../http/lib/endpoints/revocation.ts'
import type { NodeRequest } from '../../http/lib/node/header-lines.ts'
import { meterCache, metered } from '../../otel/index.ts'
import type { Call, Command } from '../command.ts'
import { addressOf as databaseOf, isPostgres } from '../database.ts'
import { createListener, drain, listen } from '../serve/listener.ts'
import { PrometheusMeter } from '../serve/prometheus-meter.ts'
import {
  addressOf,
  chosen,
  loadServeConfig,
  type ServeConfig,
  wholeNumber,
} from '../serve/serve-config.ts'
import { readTokens } from '../serve/tokens.ts'
import { UsageError } from '../usage-error.ts'

type Routes = Readonly<Record<string, Endpoint<NodeRequest>>>

/** How long the database has to answer whether it is there. */
const READY_MS = 1_000

/** `miftah serve`: forward authentication, introspection and revocation by the holder, over HTTP. */
export const serve: Command = {
  summary: 'serve forward authentication and introspection over HTTP',
  needs: ['config'],
  connections: 10,
  async run(call) {
    const config = await loadServeConfig(call.values.config ?? '')
    const meter = new PrometheusMeter()
    const keys = keysOf(call, config, meter)
    const servers: Server[] = []
    try {
      await readyCheck(call)()
      const limits = { ...limitsOf(config), onAnswer: counter(meter) }
      for (const [option, routes] of await listeners(call, config, { keys, meter })) {
        const server = createListener({ ...limits, routes })
        servers.push(server)
        const url = await listen(server, option, addressOf(option, config[option] ?? DEFAULT))
        await call.terminal.out(`${Object.keys(routes).join(', ')} on ${url}`)
      }
      await signalled()
    } finally {
      await drain(servers)
      await keys.close()
    }
    return 0
  },
}

const DEFAULT = '127.0.0.1:8181'

/** The first of the signals that ask a process to end. A second one ends it at once. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
}

function keysOf({ database, values }: Call, config: ServeConfig, meter: PrometheusMeter) {
  return named(() => {
    const names = ['brand', 'formats', 'limiter', 'privateNetworks', 'resources'] as const
    const { entitlements, catalogue } = config
    const { resources, ...options } = chosen(config, names)
    const keys = createApiKeys<string>(
      metered(
        {
          ...options,
          ...(resources && { resources }),
          entitlements,
          catalogue,
          storage: database.storage,
          ...(isPostgres(databaseOf(values)) && { cache: {} }),
        },
        meter.asMeter(),
      ),
    )
    meterCache(keys, meter.asMeter())
    return keys
  })
}

/** What is wrong with an option says the `TypeError` of the function that takes it. */
function named<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw new UsageError(Object(error).message)
  }
}

function limitsOf({ maxRequests = 1_000, requestTimeoutMs = 10_000 }: ServeConfig) {
  return {
    maxRequests: wholeNumber('maxRequests', maxRequests, [1, 100_000]),
    requestTimeoutMs: wholeNumber('requestTimeoutMs', requestTimeoutMs, [100, 600_000]),
  }
}

/** What to serve, by the option that says where. */
async function listeners(
  call: Call,
  config: ServeConfig,
  { keys, meter }: { readonly keys: ApiKeys<string>; readonly meter: PrometheusMeter },
): Promise<readonly (readonly ['listen' | 'listenForRevocations', Routes])[]> {
  const forward = ['proxy', 'requirement', 'resource', 'clientAddress', 'accept', 'realm'] as const
  const own: Routes = {
    '/auth': named(() => forwarding<string, NodeRequest>(keys, chosen(config, forward))),
    ...(config.tokenFile !== undefined && { '/introspect': await introspect(keys, config) }),
    '/health': async () => plain(200, 'ok\n'),
    '/ready': () =>
      readyCheck(call)().then(
        () => plain(200, 'ok\n'),
        () => plain(503, 'no\n'),
      ),
    '/metrics': async () => plain(200, meter.text()),
  }
  if (config.listenForRevocations === undefined) return [['listen', own]]
  const ofHolders = { '/revoke': holderRevocation(keys, {}) }
  return [
    ['listen', own],
    ['listenForRevocations', ofHolders],
  ]
}

async function introspect(keys: ApiKeys<string>, config: ServeConfig) {
  const authorize = await readTokens(config.tokenFile)
  const options = chosen(config, ['restrictions', 'cacheableMs', 'metadata'])
  return named(() => introspection<string, NodeRequest>(keys, { ...options, authorize }))
}

/** Rejects unless the database answers, with the tables that this release needs. */
function readyCheck({ database }: Call): () => Promise<unknown> {
  const hash = '0'.repeat(64)
  return async () => {
    const signal = AbortSignal.timeout(READY_MS)
    return database.storage.findByHash(hash, { timeoutMs: READY_MS, signal })
  }
}

function plain(status: number, body: string): HttpAnswer {
  const type = 'text/plain; version=0.0.4; charset=utf-8'
  return { status, headers: { 'content-type': type, 'cache-control': 'no-store' }, body }
}

function counter(meter: PrometheusMeter) {
  const requests = meter.createCounter('miftah.serve.requests', { description: 'Answers.' })
  return (path: string, status: number) => requests.add(1, { path, status })
}
