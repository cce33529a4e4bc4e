import type { HttpAnswer } from '../../../src/http/index.ts'
import { type ApiKeys, type Authentication, createApiKeys } from '../../../src/index.ts'
import type { Endpoint } from '../../http/lib/call.ts'
import { forwarding } from '../../http/lib/endpoints/forward-auth.ts'
import { introspection } from '../../http/lib/endpoints/introspection.ts'
import { holderRevocation } from '../../http/lib/endpoints/revocation.ts'
import type { NodeRequest } from '../../http/lib/node/header-lines.ts'
import type { Call, Command } from '../command.ts'
import { createListener, type Listener } from '../serve/listener.ts'
import { Metrics } from '../serve/metrics.ts'
import { addressOf, loadServeConfig, type ServeConfig, wholeNumber } from '../serve/serve-config.ts'
import { readTokens } from '../serve/tokens.ts'
import { UsageError } from '../usage-error.ts'

type Storage = Call['database']['storage']
type Routes = Readonly<Record<string, Endpoint<NodeRequest>>>

/** How long the database has to answer whether it is there: at the start, and to a probe. */
const START_MS = 5_000
const READY_MS = 1_000

/** `miftah serve`: forward authentication, introspection and revocation by the holder, over HTTP. */
export const serve: Command = {
  summary: 'serve forward authentication and introspection over HTTP',
  needs: ['config'],
  connections: 10,
  async run({ database: { storage }, values, terminal }) {
    const config = await loadServeConfig(values.config ?? '')
    const metrics = new Metrics()
    const keys = named(() => keysOf(config, storage, metrics))
    const { listen: address = '127.0.0.1:8181', listenForRevocations: forHolders } = config.server
    const listeners: Listener[] = []
    const start = async (option: string, at: unknown, routes: Routes) => {
      const listener = createListener({ ...limitsOf(config), routes, metrics })
      listeners.push(listener)
      const url = await listener.listen(option, addressOf(option, at))
      await terminal.out(`${Object.keys(routes).join(', ')} on ${url}`)
    }
    try {
      await find(storage, START_MS)
      const operators: Routes = {
        '/health': async () => plain(200),
        '/ready': () =>
          find(storage, READY_MS).then(
            () => plain(200),
            () => plain(503),
          ),
        '/metrics': async () => plain(200, metrics.text(keys.stats())),
      }
      await start('listen', address, { ...(await endpointsOf(config, keys)), ...operators })
      if (forHolders !== undefined) {
        await start('listenForRevocations', forHolders, { '/revoke': holderRevocation(keys, {}) })
      }
      await signalled()
    } finally {
      await Promise.all(listeners.map((listener) => listener.drain()))
      await keys.close()
    }
    return 0
  },
}

/** The first of the signals that ask a process to end. A second one ends it at once. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
}

/** With the cache where the storage has a log of changes. */
function keysOf(config: ServeConfig, storage: Storage, metrics: Metrics): ApiKeys<string> {
  return createApiKeys<string>({
    ...config.keys,
    storage,
    ...('changes' in storage && { cache: {} }),
    onAuthentication: (answer) => metrics.count('miftah_authentications_total', outcomeOf(answer)),
  })
}

/** As `metered` names it. */
function outcomeOf(answer: Authentication<string>): Readonly<Record<string, string>> {
  if (answer.ok) return { miftah_outcome: 'accepted' }
  return { miftah_outcome: 'denied', miftah_reason: answer.reason }
}

/** What is wrong with an option says the `TypeError` of the function that takes it. */
function named<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw new UsageError(Object(error).message)
  }
}

function limitsOf({ server: { maxRequests = 1_000, requestTimeoutMs = 10_000 } }: ServeConfig) {
  return {
    maxRequests: wholeNumber('maxRequests', maxRequests, [1, 100_000]),
    requestTimeoutMs: wholeNumber('requestTimeoutMs', requestTimeoutMs, [100, 600_000]),
  }
}

async function endpointsOf({ forward, introspect, server }: ServeConfig, keys: ApiKeys<string>) {
  const { tokenFile, listenForRevocations } = server
  const isForwarding = Object.keys(forward).length > 0
  if (!isForwarding && tokenFile === undefined && listenForRevocations === undefined) {
    throw new UsageError(
      'The config has nothing to serve: export "proxy" and "requirement", "tokenFile" or "listenForRevocations".',
    )
  }
  const authorize = tokenFile === undefined ? null : await readTokens(tokenFile)
  return {
    ...(isForwarding && { '/auth': named(() => forwarding(keys, forward)) }),
    ...(authorize && {
      '/introspect': named(() => introspection(keys, { ...introspect, authorize })),
    }),
  }
}

/** Rejects unless the database answers, with the tables that this release needs. */
async function find(storage: Storage, timeoutMs: number): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs)
  return storage.findByHash('0'.repeat(64), { timeoutMs, signal })
}

function plain(status: number, body = `${status}\n`): HttpAnswer {
  const type = 'text/plain; version=0.0.4; charset=utf-8'
  return { status, headers: { 'content-type': type, 'cache-control': 'no-store' }, body }
}
