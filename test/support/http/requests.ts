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

/** A header of the request of any host. */
export function headerIn(request: unknown, name: string): string | undefined {
  const { headers, req } = request as {
    readonly headers: Headers | Readonly<Record<string, string | undefined>>
    readonly req?: { readonly header?: (name: string) => string | undefined }
  }
  if (req?.header !== undefined) return req.header(name)
  return headers instanceof Headers ? (headers.get(name) ?? undefined) : headers[name]
}
