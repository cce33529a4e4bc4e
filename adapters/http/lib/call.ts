import type { HeaderLines, HttpAnswer } from '../../../src/http/index.ts'

/**
 * A body as the host passes it: a stream of bytes, the result of the host's parser, or `'lost'` when
 * something has read it and kept nothing.
 */
export type CallBody =
  | { readonly bytes: AsyncIterable<Uint8Array> }
  | { readonly parsed: unknown }
  | 'lost'
  | null

/** Where a call arrived. */
export interface Place {
  /** The path that the routes live under, without a slash at its end. */
  readonly basePath: string
  /** The whole path, as it came. */
  readonly pathname: string
}

/**
 * One call, whatever the host. No `Request`: that has no repeated header lines, no TRACE, no body of a GET
 * and nothing that a parser has read.
 */
export interface Call<R> extends Place {
  readonly method: string
  /** The query without its question mark, as it came. */
  readonly query: string
  /** The host and port that the client addressed. */
  readonly host: string | null
  readonly lines: HeaderLines
  readonly body: CallBody
  /** The host's own request, for the host's own functions. */
  readonly request: R
}

/** Answers calls for any host; never rejects. */
export type Endpoint<R> = (call: Call<R>) => Promise<HttpAnswer>

/** Whether the host's parser has read the body. */
export function isParsed(body: object): body is { readonly parsed: unknown } {
  return Object.hasOwn(body, 'parsed')
}

/** A body that is already in memory. */
export function bytesOf(content: string | Uint8Array): CallBody {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return {
    bytes: (async function* () {
      yield bytes
    })(),
  }
}
