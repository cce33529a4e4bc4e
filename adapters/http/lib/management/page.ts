import type { HeaderLines } from '../../../../src/http/index.ts'
import type { Call } from '../call.ts'

/**
 * Whether a method only reads (RFC 9110 §9.2.1). Everything else needs the same site, whether or not
 * a route answers it: OPTIONS too, so that a preflight learns nothing here.
 */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/**
 * Whether a call comes from a page of this site, from one of `allowed`, or from no page at all. Pages
 * cannot forge these headers. A call with neither of them comes from a program, which has nobody
 * else's cookies, or from an old browser, in which a page of another site cannot send
 * `application/json` without a preflight (Fetch §4.9).
 */
export function isSameSite(
  { lines, host }: Pick<Call<unknown>, 'lines' | 'host'>,
  allowed: ReadonlySet<string>,
): boolean {
  const [site, ...otherSites] = lines('sec-fetch-site')
  const [origin, ...otherOrigins] = lines('origin')
  if (otherSites.length > 0 || otherOrigins.length > 0) return false
  if (origin !== undefined && allowed.has(origin)) return true
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return origin === undefined || isOwnOrigin(origin, host)
}

/** The scheme is not compared: behind a proxy that terminates TLS it is unknown here. */
function isOwnOrigin(origin: string, host: string | null): boolean {
  if (host === null || !URL.canParse(origin)) return false
  const { protocol, host: originHost } = new URL(origin)
  const own = `${protocol}//${host}`
  return originHost !== '' && URL.canParse(own) && new URL(own).host === originHost
}

/** The origins of an option, checked. Throws a `TypeError` for what is not a serialised origin. */
export function originSet(origins: readonly string[]): ReadonlySet<string> {
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new TypeError('manageKeys: "allowedOrigins" must be like https://app.example.com.')
    }
  }
  return new Set(origins)
}

/** The id of the workspace that the calling page shows, percent-encoded (RFC 3986 §2.1). */
export const WORKSPACE_HEADER = 'Miftah-Workspace'

/**
 * Whether a call is meant for this workspace: its page shows this one, or does not say which. The
 * session may have switched workspaces in another browser tab since the page was loaded.
 */
export function isMeantFor(workspaceId: string, lines: HeaderLines): boolean {
  const [shown, ...more] = lines(WORKSPACE_HEADER.toLowerCase())
  if (shown === undefined) return true
  try {
    return more.length === 0 && decodeURIComponent(shown) === workspaceId
  } catch {
    // It is not encoded as it has to be.
    return false
  }
}
