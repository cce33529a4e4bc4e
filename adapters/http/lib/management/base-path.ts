/** Characters that RFC 3986 §3.3 does not allow in a path; clients percent-encode at least these. */
const ENCODED = /[^A-Za-z0-9\-._~!$&'()*+,;=:@%/]+/g

/** Half a surrogate pair: it has no UTF-8 encoding. */
const LONE_SURROGATE = /\p{Surrogate}/u

/** The path below a base path, in canonical form; `null` for a path elsewhere. */
export type BelowBasePath = (path: string) => string | null

/** The checked path that routes are mounted under. */
export interface BasePath {
  /** Percent-encoded, so that it fits into a header. */
  readonly path: string
  readonly below: BelowBasePath
}

/**
 * Checks the path that routes are mounted under, decoded or percent-encoded. Throws a `TypeError`
 * for one that no request could ever match.
 */
export function basePathOf(basePath: string): BasePath {
  if (!/^(?:\/[^/?#\\]+)+$/.test(basePath)) {
    throw refused('must begin with a slash and have no empty segment, "?", "#" or backslash')
  }
  if (LONE_SURROGATE.test(basePath)) throw refused('holds half a surrogate pair')
  if (/%(?![0-9a-f]{2})/i.test(basePath)) throw refused('contains an invalid percent-escape')
  if (basePath.split('/').some(isDots)) throw refused('has a segment of dots')
  const path = canonical(basePath)
  return {
    path,
    below: (requested) => {
      if (LONE_SURROGATE.test(requested)) return null
      const found = canonical(requested)
      return found === path || found.startsWith(`${path}/`) ? found.slice(path.length) : null
    },
  }
}

function canonical(path: string): string {
  const encoded = path.replace(ENCODED, (part) => encodeURIComponent(part))
  return encoded.replace(/%[0-9a-f]{2}/gi, (digits) => digits.toUpperCase())
}

/** Clients remove them (RFC 3986 §5.2.4); the URL standard takes `%2e` for a dot. */
function isDots(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment)
}

function refused(why: string): TypeError {
  return new TypeError(`manageKeys: "basePath" ${why}; write it like /api/settings.`)
}
