import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { HttpAnswer } from '../../../../src/http/index.ts'
import { addVary } from '../vary.ts'

/** A response of Node's servers; HTTP/2 has the same face through its compatibility API. */
export type NodeResponse = ServerResponse | Http2ServerResponse

/** What `writeHead` of either server takes, seen from where only its headers matter. */
type WriteHead = (...args: unknown[]) => NodeResponse

/** Writes an answer out whole. For HEAD, Node itself leaves the body away. */
export function writeAnswer(response: NodeResponse, { status, headers, body }: HttpAnswer): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, name === 'vary' ? addVary(response.getHeader('vary'), value) : value)
  }
  response.end(body)
}

/** Makes a response say `Vary: Authorization`, whatever the route does. */
export function keepVary(response: NodeResponse): void {
  response.setHeader('Vary', addVary(response.getHeader('vary'), GUARDED_BY))
  watchVary(response)
}

/**
 * Puts `Vary: Authorization` back where it is missing: the handler may replace the header and an
 * error page may begin by removing all, so the head is looked at as it is written.
 *
 * One property that is the same for all responses: a second one, or a closure for each response,
 * would cost far more.
 */
export function watchVary(response: NodeResponse): void {
  const writeHead = response.writeHead as WriteHead
  if (writeHead === varyingWriteHead || writeHead === varyingOwnWriteHead) return
  const isOwn = writeHead !== inherited(response)
  if (isOwn) (response as VaryingResponse)[WRITE_HEAD] = writeHead
  response.writeHead = (isOwn ? varyingOwnWriteHead : varyingWriteHead) as typeof response.writeHead
}

/** What the routes behind a guard vary by (RFC 9110 §12.5.5). */
export const GUARDED_BY = 'Authorization'

/** What a response wrote its head with before, where that was a property of its own. */
const WRITE_HEAD = Symbol('writeHead')

type VaryingResponse = NodeResponse & { [WRITE_HEAD]: WriteHead }

function inherited(response: NodeResponse): WriteHead {
  return Object.getPrototypeOf(response).writeHead
}

function varyingWriteHead(this: NodeResponse, ...args: unknown[]): NodeResponse {
  return inherited(this).apply(this, varyingArguments(this, args))
}

function varyingOwnWriteHead(this: VaryingResponse, ...args: unknown[]): NodeResponse {
  return this[WRITE_HEAD](...varyingArguments(this, args))
}

function varyingArguments(response: NodeResponse, args: unknown[]): unknown[] {
  return varies(response, args.at(-1)) ? args : withVary(response, args)
}

/** Whether nobody has touched what the guard has set, in the response or in the headers to write. */
function varies(response: NodeResponse, last: unknown): boolean {
  if (typeof last !== 'object' || last === null) return response.getHeader('vary') === GUARDED_BY
  return Object.hasOwn(last, 'vary') && (last as { vary: unknown }).vary === GUARDED_BY
}

function withVary(response: NodeResponse, args: unknown[]): unknown[] {
  const given = args.find((argument) => typeof argument === 'object' && argument !== null)
  if (given === undefined || Array.isArray(given) || namesVary(given)) {
    return withVarySet(response, args, given)
  }
  // Most frameworks hand over all headers here: one more member costs less than setting each.
  const vary = varyWith(response)
  return args.map((argument) => (argument === given ? { ...given, vary } : argument))
}

function namesVary(headers: object): boolean {
  for (const name of Object.keys(headers)) {
    if (name.length === 4 && name.toLowerCase() === 'vary') return true
  }
  return false
}

/** Sets the headers given to `writeHead` first: they replace those set before. */
function withVarySet(response: NodeResponse, args: unknown[], given: object = {}): unknown[] {
  for (const [name, values] of byName(pairsOf(given))) response.setHeader(name, values)
  response.setHeader('Vary', varyWith(response))
  return args.filter((argument) => argument !== given)
}

function varyWith(response: NodeResponse): string {
  return addVary(response.getHeader('vary'), GUARDED_BY)
}

type Pair = readonly [name: string, value: string | string[]]

/** Node takes an object, a flat list of names and values, and a list of pairs. */
function pairsOf(headers: object): readonly Pair[] {
  if (!Array.isArray(headers)) return Object.entries(headers) as Pair[]
  if (Array.isArray(headers[0])) return headers as Pair[]
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]] as const] : []))
}

function byName(pairs: readonly Pair[]): ReadonlyMap<string, string | string[]> {
  const headers = new Map<string, string | string[]>()
  for (const [name, value] of pairs) {
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : [before, value].flat())
  }
  return headers
}
