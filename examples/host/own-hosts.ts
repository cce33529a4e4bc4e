import type { Socket } from 'node:net'
import type { RequestHandler } from 'express'

/**
 * Middleware that answers 421 (RFC 9110 §15.5.20) unless `Host` is this server's own. The demo user is
 * signed in without a password: a page of another site whose name is made to lead here (DNS
 * rebinding) would be of the same origin as the demo and could create keys.
 */
export function ownHostsOnly(others: readonly string[]): RequestHandler {
  return (request, response, next) => {
    const own = [...hostsOf(request.socket), ...others]
    if (own.includes(request.headers.host?.toLowerCase() ?? '')) return next()
    response
      .status(421)
      .type('text')
      .send(
        `This demo answers only to ${own.join(', ')}. For another name set MIFTAH_HOSTS=name:port.\n`,
      )
  }
}

/** The hosts in a list that is separated by commas. */
export function hostsIn(list = ''): readonly string[] {
  return list
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== '')
}

/** The loopback names, and the address that the client has connected to: no site has it for a name. */
function hostsOf({ localAddress = '', localPort }: Socket): readonly string[] {
  const address = localAddress.replace(/^::ffff:/, '')
  const names = [
    '127.0.0.1',
    'localhost',
    '[::1]',
    address.includes(':') ? `[${address}]` : address,
  ]
  const hosts = names.flatMap((name) => [
    `${name}:${localPort}`,
    ...(localPort === 80 ? [name] : []),
  ])
  return [...new Set(hosts)]
}
