import type { HttpAnswer } from '../../../src/http/index.ts'
import { createApiKeys } from '../../../src/index.ts'
import { forwarding } from '../../http/lib/endpoints/forward-auth.ts'
import { introspection } from '../../http/lib/endpoints/introspection.ts'
import { holderRevocation } from '../../http/lib/endpoints/revocation.ts'
import type { Call, Command } from '../command.ts'
import { named, UsageError } from '../errors.ts'
import { addressOf, limitsOf, loadServeConfig } from '../serve/config.ts'
import { listenerOf, type Routes } from '../serve/listener.ts'
import { Metrics } from '../serve/metrics.ts'
import { readTokens } from '../serve/tokens.ts'

/** How long the database has to answer whether it is there: at the start, and to a probe. */
const START_MS = 5_000
const READY_MS = 1_000

/** `miftah serve`: forward authentication, introspection and revocation by the holder, over HTTP. */
export const serve: Command = {
  summary: 'serve forward authentication and introspection over HTTP; docs/serve.md has its config',
  example: 'serve -d postgres://app@db.internal/app -c miftah.serve.mjs',
  needs: ['config'],
  connections: 10,
  async run({ database: { storage }, values, terminal }) {
    const { keys: options, ...config } = await loadServeConfig(values.config ?? '')
    const { forward, introspect, server } = config
    const { listen = '127.0.0.1:8181', listenForRevocations, tokenFile } = server
    const metrics = new Metrics()
    const keys = named(() =>
      createApiKeys<string>({
        ...options,
        storage,
        // Where the storage has a log of changes.
        ...('changes' in storage && { cache: {} }),
        onAuthentication(answer) {
          // As `metered` names it.
          const outcome = answer.ok
            ? { miftah_outcome: 'accepted' }
            : { miftah_outcome: 'denied', miftah_reason: answer.reason }
          metrics.count('miftah_authentications_total', outcome)
        },
      }),
    )
    const listeners: ReturnType<typeof listenerOf>[] = []
    const start = async (option: string, at: unknown, routes: Routes) => {
      const listener = listenerOf(routes, limitsOf(server), ({ status }, path) =>
        metrics.count('miftah_serve_requests_total', { path, status }),
      )
      listeners.push(listener)
      const url = await listener.listen(option, addressOf(option, at))
      await terminal.out(`${Object.keys(routes).join(', ')} on ${url}`)
    }
    try {
      await find(storage, START_MS)
      const isForwarding = Object.keys(forward).length > 0
      if (!isForwarding && tokenFile === undefined && listenForRevocations === undefined) {
        throw new UsageError(
          'The config has nothing to serve: export "proxy" and "requirement", "tokenFile" or "listenForRevocations".',
        )
      }
      const authorize = tokenFile === undefined ? null : await readTokens(tokenFile)
      const routes: Routes = named(() => ({
        ...(isForwarding && { '/auth': forwarding(keys, forward) }),
        ...(authorize && { '/introspect': introspection(keys, { ...introspect, authorize }) }),
        '/health': async () => plain(200),
        '/ready': () =>
          find(storage, READY_MS).then(
            () => plain(200),
            () => plain(503),
          ),
        '/metrics': async () => plain(200, metrics.text(keys.stats())),
      }))
      await start('listen', listen, routes)
      if (listenForRevocations !== undefined) {
        const forHolders = { '/revoke': holderRevocation(keys, {}) }
        await start('listenForRevocations', listenForRevocations, forHolders)
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

/** Rejects unless the database answers, with the tables that this release needs. */
async function find(storage: Call['database']['storage'], timeoutMs: number): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs)
  return storage.findByHash('0'.repeat(64), { timeoutMs, signal })
}

function plain(status: number, body = `${status}\n`): HttpAnswer {
  const type = 'text/plain; version=0.0.4; charset=utf-8'
  return { status, headers: { 'content-type': type, 'cache-control': 'no-store' }, body }
}
