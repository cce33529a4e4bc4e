import { exchange, type RawResponse } from './raw-client.ts'

/** Where every host mounts the routes. */
export const BASE = '/api/settings'

/** One management call as a test writes it. */
export interface Call {
  readonly method?: string
  /** Below the mount, query included. */
  readonly path: string
  /** Whose session; `null` for none. Default: Noura of workspace ws_1. */
  readonly session?: string | null
  /** Header lines beside Host, Cookie and Content-Length; by default a JSON type for POST. */
  readonly headers?: readonly string[]
  /** Text goes out byte by byte (Latin-1), anything else as JSON in UTF-8. */
  readonly body?: unknown
}

export const JSON_TYPE = 'Content-Type: application/json'

/** Sends a call on a connection of its own. */
export function send(port: number, call: Call): Promise<RawResponse> {
  const { method = call.body === undefined ? 'GET' : 'POST', path, session = 'noura' } = call
  const { headers = method === 'POST' ? [JSON_TYPE] : [] } = call
  const body = bytesOf(call.body)
  const chunked = headers.some((line) => /^transfer-encoding/i.test(line))
  const length = body === '' || chunked ? [] : [`Content-Length: ${body.length}`]
  const cookie = session === null ? [] : [`Cookie: session=${session}`]
  const lines = [`Host: 127.0.0.1:${port}`, ...cookie, ...headers, ...length]
  return exchange(port, [`${method} ${BASE}${path} HTTP/1.1`, ...lines, '', body].join('\r\n'))
}

/** POSTs JSON. */
export function post(port: number, path: string, body: unknown = {}): Promise<RawResponse> {
  return send(port, { method: 'POST', path, body })
}

/** The JSON of an answer. */
export function jsonOf({ body }: RawResponse) {
  return JSON.parse(body)
}

/** The status and the code of a problem. */
export function verdictOf(response: RawResponse): string {
  return `${response.status} ${jsonOf(response).code}`
}

/** What a new key is asked for with. */
export const NEW_KEY = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }

function bytesOf(body: unknown): string {
  if (body === undefined) return ''
  if (typeof body === 'string') return body
  return Buffer.from(JSON.stringify(body)).toString('latin1')
}
