import type { IncomingMessage, ServerResponse } from 'node:http'
import { type HttpAnswer, problem } from '../../../../src/http/index.ts'
import type { AuthenticatedKey } from '../../../../src/index.ts'
import { headerLines } from './header-lines.ts'

/** What the handlers of the MCP SDK find at `req.auth`, and tools at `extra.authInfo`; never a secret. */
export interface McpAuth {
  /** The id of the key: a tool that logs or returns it leaks nothing. */
  token: string
  /** The id of the key. */
  clientId: string
  /** Its scopes. */
  scopes: string[]
  /** When it expires, in seconds since the epoch; absent for a key that does not. */
  expiresAt?: number
  /** The key, frozen, at `apiKey`. */
  extra?: Record<string, unknown>
}

/** How a key looks to the SDK. */
export function mcpAuthOf(key: AuthenticatedKey): McpAuth {
  return {
    token: key.id,
    clientId: key.id,
    scopes: [...key.scopes],
    ...(key.expiresAt !== null && { expiresAt: Math.floor(key.expiresAt.getTime() / 1_000) }),
    extra: { apiKey: key },
  }
}

/** Far more than the transports that a process can hold. */
const MOST_SESSIONS = 100_000

const SESSION = 'mcp-session-id'

/** To the client the session is gone, and it begins another (MCP 2025-11-25, Session Management). */
const NOT_FOUND = problem(404, {
  code: 'session_not_found',
  detail: 'This key has no such session here. Begin a new one.',
})

/** Which key each session of this process belongs to. */
export class McpSessions {
  readonly #owners = new Map<string, string>()

  /** The answer to a request for a session that is not of this key, or `null`. */
  refusalOf(request: IncomingMessage, keyId: string): HttpAnswer | null {
    const [session, ...more] = headerLines(request)(SESSION)
    if (session === undefined) return null
    return more.length === 0 && this.#owners.get(session) === keyId ? null : NOT_FOUND
  }

  /** Remembers the session that the answer to a request begins, before its client can know it. */
  watch(response: ServerResponse, keyId: string): void {
    const { writeHead } = response
    response.writeHead = (...args: unknown[]) => {
      const written = Reflect.apply(writeHead, response, args)
      const session = response.getHeader(SESSION)
      if (typeof session === 'string') this.#begin(session, keyId)
      return written
    }
  }

  #begin(session: string, keyId: string): void {
    if (this.#owners.has(session)) return
    this.#owners.set(session, keyId)
    const [oldest = ''] = this.#owners.keys()
    if (this.#owners.size > MOST_SESSIONS) this.#owners.delete(oldest)
  }
}

/** Checks a request again while its answer is under way, and cuts it off once the key is refused. */
export function checkWhileOpen(
  response: ServerResponse,
  everyMs: number,
  isRefused: () => Promise<boolean>,
): void {
  const check = async () => {
    if (await isRefused()) response.destroy()
  }
  const timer = setInterval(() => void check(), everyMs)
  timer.unref()
  response.once('close', () => clearInterval(timer))
}
