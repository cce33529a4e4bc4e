import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { listen, type RunningHost } from '../http/guard-hosts.ts'

/** A system of keys that can be measured. */
export interface Metered {
  create(): Promise<{ readonly id: string; readonly secret: string }>
  revoke(id: string): Promise<void>
  /** The guarded route. */
  readonly guarded: RequestListener
}

/** `POST /keys` creates a key, `DELETE /keys/ID` revokes it, and everything else is guarded. */
export function meteredServer(system: Metered): Promise<RunningHost> {
  // Longer than any pause of a caller: a connection that is closed as it is used again looks like a fault.
  return listen(
    createServer({ keepAliveTimeout: 120_000 }, (req, res) => {
      const { method, url = '' } = req
      if (!url.startsWith('/keys')) return system.guarded(req, res)
      const answer = method === 'POST' ? system.create() : system.revoke(url.slice('/keys/'.length))
      answer.then(
        (body) => res.writeHead(method === 'POST' ? 201 : 200).end(JSON.stringify(body ?? {})),
        (error: unknown) => res.writeHead(500).end(String(error)),
      )
    }),
  )
}

/** The guarded route of a system that only answers whether it accepts a secret. */
export function guardedBy(
  accepts: (secret: string) => boolean | Promise<boolean>,
): RequestListener {
  return async (req, res) => {
    const isAccepted = await accepts(secretOf(req))
    res.writeHead(isAccepted ? 200 : 401).end()
  }
}

function secretOf({ headers }: IncomingMessage): string {
  return headers.authorization?.replace(/^Bearer /, '') ?? ''
}

/** The module of such a server for `miftah meter --config`. */
export function meterModule(port: number): string {
  return `const keys = 'http://127.0.0.1:${port}/keys'
async function call(method, url) {
  const response = await fetch(url, { method })
  if (!response.ok) throw new Error(method + ' answered ' + response.status)
  return response.json()
}
export const createKey = () => call('POST', keys)
export const revokeKey = ({ id }) => call('DELETE', keys + '/' + id)
`
}
