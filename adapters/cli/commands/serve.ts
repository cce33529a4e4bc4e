import { once } from 'node:events'
import { createApiKeys } from '../../../src/index.ts'
import { forwarding } from '../../http/lib/endpoints/forward-auth.ts'
import { introspection } from '../../http/lib/endpoints/introspection.ts'
import { holderRevocation } from '../../http/lib/endpoints/revocation.ts'
import { type Command, within } from '../command.ts'
import { named, UsageError } from '../errors.ts'
import { loadServeConfig, readTokens } from '../serve/config.ts'
import { listenAt, plain, prometheus, type Routes } from '../serve/listener.ts'

export const serve: Command = {
  summary: 'serve forward authentication and introspection over HTTP; docs/serve.md has its config',
  example: 'serve -d postgres://app@db.internal/app -c miftah.serve.mjs',
  needs: ['config'],
  connections: 10,
  async run({ database: { storage }, values, terminal }) {
    const { keys: options, forward, introspect, server } = await loadServeConfig(values.config)
    const { listen = '127.0.0.1:8181', listenForRevocations, tokenFile } = server
    const authorize = tokenFile === undefined ? null : await readTokens(tokenFile)
    if (!(Object.keys(forward).length > 0 || authorize || listenForRevocations)) {
      throw new UsageError('Export "proxy", "tokenFile" or "listenForRevocations".')
    }
    const counted = new Map<string, number>()
    const count = (series: string) => counted.set(series, (counted.get(series) ?? 0) + 1)
    const keys = named(() =>
      createApiKeys<string>({
        ...options,
        storage,
        // Where the storage has a log of changes.
        ...('changes' in storage && { cache: {} }),
        onAuthentication(answer) {
          // As `metered` names it.
          const labels = answer.ok ? 'accepted"' : `denied",miftah_reason="${answer.reason}"`
          count(`miftah_authentications_total{miftah_outcome="${labels}}`)
        },
      }),
    )
    // Fails unless the database answers, with the tables that this release needs.
    const ask = async () => {
      await storage.findByHash('0'.repeat(64), within(5_000))
      return plain(200)
    }
    const drains: (() => Promise<void>)[] = []
    const start = async (option: string, at: string | undefined, routes: Routes) => {
      if (at === undefined) return
      const { url, drain } = await listenAt([option, at], routes, server, count)
      drains.push(drain)
      await terminal.out(`${Object.keys(routes).join(', ')} on ${url}`)
    }
    try {
      await ask()
      const routes: Routes = named(() => ({
        ...(Object.keys(forward).length > 0 && { '/auth': forwarding(keys, forward) }),
        ...(authorize && { '/introspect': introspection(keys, { ...introspect, authorize }) }),
        '/health': async () => plain(200),
        '/ready': () => ask().catch(() => plain(503)),
        '/metrics': async () => plain(200, prometheus(counted, keys.stats().cache)),
      }))
      await start('listen', listen, routes)
      const forHolders = { '/revoke': holderRevocation(keys, {}) }
      await start('listenForRevocations', listenForRevocations, forHolders)
      // A second signal ends the process at once.
      await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
    } finally {
      await Promise.all(drains.map((drain) => drain()))
      await keys.close()
    }
    return 0
  },
}
