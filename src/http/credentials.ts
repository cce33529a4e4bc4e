/** Every line of one request header, by its name in lower case; empty without one. */
export type HeaderLines = (name: string) => readonly string[]

/**
 * Where a request may carry its key: `bearer` for `Authorization: Bearer <key>` (RFC 6750 §2.1), `x-api-key`
 * for `X-API-Key: <key>`, `basic-username` for the user name of Basic authentication (RFC 7617), whose
 * password is not read.
 */
export type CredentialPlace = 'bearer' | 'x-api-key' | 'basic-username'

interface PlaceFacts {
  /** The header to name in `Vary` (RFC 9110 §12.5.5). */
  readonly header: 'Authorization' | 'X-API-Key'
  /** How a caller sends a key there, in the words of an error message: "as …". */
  readonly form: string
  /** The scheme of the challenge. A header of its own has no registered one. */
  readonly scheme: string
}

/** What is known of each place. */
export const PLACES: Readonly<Record<CredentialPlace, PlaceFacts>> = {
  bearer: { header: 'Authorization', form: 'Authorization: Bearer <key>', scheme: 'Bearer' },
  'x-api-key': { header: 'X-API-Key', form: 'X-API-Key: <key>', scheme: 'ApiKey' },
  'basic-username': {
    header: 'Authorization',
    form: 'the user name of Basic authentication',
    scheme: 'Basic',
  },
}

/** Every header that can carry a key, in lower case. */
export const CREDENTIAL_HEADERS = ['authorization', 'x-api-key'] as const

/** The places of a guard. Throws a `TypeError` unless they are one or more different ones. */
export function checkAccept(accept: unknown): readonly CredentialPlace[] {
  const places = Array.isArray(accept) ? [...accept] : []
  const areKnown = places.every((place) => Object.hasOwn(PLACES, place))
  if (places.length === 0 || !areKnown || new Set(places).size < places.length) {
    const names = Object.keys(PLACES).join(', ')
    throw new TypeError(`Option "accept" must list one or more of ${names}, each once.`)
  }
  return Object.freeze(places)
}

/** The headers that these places read, as a `Vary` value. */
export function varyOf(accept: readonly CredentialPlace[]): string {
  return [...new Set(accept.map((place) => PLACES[place].header))].join(', ')
}

/** Several credentials, or one that is broken: RFC 6750 §3.1 calls this an invalid request. */
const INVALID = 'Bearer ,'

/** One run of visible ASCII without a comma, as `authenticate` reads a token. */
const TOKEN = /^[!-+\--~]+$/

/** A value that names the Bearer scheme, also behind a comma where a proxy has joined two lines. */
const NAMES_BEARER = /(?:^|,)[ \t]*bearer(?![!-+\--~])/i

const NAMES_BASIC = /^ *basic(?![!-+\--~])/i

/** `"Basic" 1*SP token68` (RFC 7617 §2). */
const BASIC = /^ *basic {1,8}([A-Za-z0-9+/]+={0,2}) *$/i

/** Reads the credential of a request as a Bearer value, which is what `authenticate` takes. */
export type CredentialReader = (lines: HeaderLines) => string | undefined

/**
 * Makes the reader for the places of a guard. A request with credentials in two of them is invalid, even when
 * they are equal; what stands in any other place is not read.
 */
export function credentialReader(accept: readonly CredentialPlace[]): CredentialReader {
  const accepts = (place: CredentialPlace) => accept.includes(place)
  const [bearer, basic] = [accepts('bearer'), accepts('basic-username')]
  const inAuthorization: CredentialReader = (lines) => {
    const [line, ...more] = lines('authorization')
    if (more.length > 0) return INVALID
    const value = textOf(line)
    if (value === undefined) return undefined
    if (basic && NAMES_BASIC.test(value)) return fromBasic(value)
    return bearer ? value : undefined
  }
  if (!accepts('x-api-key')) return inAuthorization
  if (!bearer && !basic) return fromHeader
  return (lines) => {
    const [own, other] = [fromHeader(lines), inAuthorization(lines)]
    if (own === undefined) return other
    // Another scheme, as for a proxy of the host's, is no credential.
    return other !== undefined && NAMES_BEARER.test(other) ? INVALID : own
  }
}

/** Requests that serverless wrappers make may have lines of any type; such a credential is broken. */
function textOf(line: unknown): string | undefined {
  if (line === undefined || line === null) return undefined
  return typeof line === 'string' ? line : INVALID
}

function fromHeader(lines: HeaderLines): string | undefined {
  const [line, ...more] = lines('x-api-key')
  if (more.length > 0) return INVALID
  const value = textOf(line)
  // An empty header names no key, as an empty `Authorization` does.
  return value ? asBearer(value) : undefined
}

function fromBasic(value: string): string {
  const credentials = decoded(BASIC.exec(value)?.[1] ?? '')
  const end = credentials.indexOf(':')
  return end < 0 ? INVALID : asBearer(credentials.slice(0, end))
}

function decoded(base64: string): string {
  try {
    return atob(base64)
  } catch {
    return ''
  }
}

/** A token as an `Authorization` value; one in the wrong form is an invalid request. */
export function asBearer(token: string): string {
  return TOKEN.test(token) ? `Bearer ${token}` : INVALID
}
