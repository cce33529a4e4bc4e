import type { GuardVerdict } from '../../../../src/http/index.ts'
import type { NodeRequest } from '../node/header-lines.ts'
import type { NodeResponse, Reply } from '../node/side.ts'
import { FASTIFY, type KeyHolder, NODE, type Side } from '../node/side.ts'

/** A request and its response, whichever platform NestJS runs on. */
export interface Exchange {
  readonly request: NodeRequest
  /** The host's request, which receives the key. */
  readonly holder: KeyHolder
  isAnswered(): boolean
  varyBy(headers: string): void
  passes(verdict: GuardVerdict): boolean
}

/** Detects the platform: Fastify wraps the objects of Node, Express extends them. */
export function exchangeOf(holder: object, response: NodeResponse | Reply): Exchange {
  return 'writeHead' in response
    ? made(holder as NodeRequest, holder, response, NODE)
    : made((holder as { readonly raw: NodeRequest }).raw, holder, response, FASTIFY)
}

function made<R>(request: NodeRequest, holder: KeyHolder, response: R, side: Side<R>): Exchange {
  return {
    ...{ request, holder },
    isAnswered: () => side.isAnswered(response),
    varyBy: (headers) => side.varyBy(response, headers),
    passes: (verdict) => side.passes(verdict, holder, response),
  }
}
