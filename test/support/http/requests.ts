import { exchange, type RawResponse } from './raw-client.ts'

/** The text of an HTTP/1.1 request without a body. */
export function requestText(
  target: string,
  headers: readonly string[] = [],
  method = 'GET',
): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: host.example', ...headers, '', ''].join('\r\n')
}

/** GETs a target with header lines written as they are. */
export function get(
  port: number,
  target: string,
  headers: readonly string[] = [],
): Promise<RawResponse> {
  return exchange(port, requestText(target, headers))
}

/** A response as `Deno.upgradeWebSocket` makes it; in Node the status cannot be given. */
export function upgradeResponse(): Response {
  const response = Response.redirect('https://host.example/')
  return Object.defineProperty(response, 'status', { value: 101 })
}
