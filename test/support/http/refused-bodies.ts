import { beforeEach, expect } from 'vitest'
import { hostForAll } from './host-for.ts'
import { testKeys } from './keys.ts'
import { JSON_TYPE, NEW_KEY, send } from './management-call.ts'
import type { ManagementHost } from './management-hosts.ts'

/** In every hostile body, and in no answer. */
export const CANARY = 'canary'

/** The body of a request for a new key. */
export const VALID: string = JSON.stringify(NEW_KEY)

/** A valid body of exactly this many bytes. */
export const sized = (bytes: number): string => VALID + ' '.repeat(bytes - VALID.length)

/** A valid body with one more member, given as JSON. */
export const withField = (json: string): string => `${VALID.slice(0, -1)},${json}}`

/** Runs a host for the tests of a `describe`, and fails any of them that changes a key. */
export function hostOfRefusedBodies(start: ManagementHost['start']) {
  const backend = testKeys()
  const host = hostForAll(() => start(backend.keys))
  beforeEach(() => {
    backend.events.length = 0
    return () => expect(backend.events).toEqual([])
  })
  return {
    get port() {
      return host.port
    },
    /** Sends a body as a new key, byte for byte. */
    raw: (body: string, headers: readonly string[] = [JSON_TYPE]) =>
      send(host.port, { method: 'POST', path: '/keys', headers, body }),
  }
}
