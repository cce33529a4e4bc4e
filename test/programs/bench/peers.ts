import type { RequestHandler } from 'express'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'

/** A peer with a store of its own, as its driver in `peers/` opens it. */
export interface Peer {
  /** Makes a key and answers its secret. */
  create(): Promise<string>
  /** Whether the secret is that of a key with the right to read contacts. */
  verify(secret: string): boolean | Promise<boolean>
  /** How many keys the store holds, and how many of them a check has written to. */
  stored(): Promise<PeerState> | PeerState
}

interface PeerState {
  readonly keys: number
  readonly used: number
}

// The drivers are JavaScript and named at run time: without an installed peer, the compiler and
// the linters still see a whole program.
function driver<T>(name: string): Promise<T> {
  return import(new URL(`peers/${name}.js`, import.meta.url).href)
}

/** better-auth with its API-key plugin, on its memory adapter, on a Map or on PostgreSQL. */
export async function betterAuth(store: 'memory' | 'map' | pg.Pool): Promise<Peer> {
  const { open } = await driver<{ open(given: typeof store): Promise<Peer> }>('better-auth')
  return open(store)
}

/** prefixed-api-key beside a Map. */
export async function prefixedApiKey(): Promise<Peer> {
  const { open } = await driver<{ open(): Promise<Peer> }>('prefixed-api-key')
  return open()
}

/** Peers that guard the routes of one framework. */
export interface HttpPeers {
  passportGuard(accepts: (key: string) => boolean): RequestHandler
  guardFastify(app: FastifyInstance, keys: readonly string[]): unknown
}

/** passport-headerapikey and @fastify/bearer-auth. */
export function httpPeers(): Promise<HttpPeers> {
  return driver<HttpPeers>('http')
}
