import { ManagementError } from './management-error.ts'

/**
 * The base address without slashes at its end. Throws a `TypeError` for one that paths cannot follow:
 * a query or fragment would swallow them, and `fetch` refuses credentials and other protocols.
 */
export function baseAddress(baseUrl: string): string {
  const refusal = refusalOf(baseUrl)
  if (refusal !== null) throw new TypeError(`baseUrl ${refusal}`)
  return baseUrl.replace(/\/+$/, '')
}

// The value is left out of the message: an address may hold credentials.
function refusalOf(baseUrl: unknown): string | null {
  if (typeof baseUrl !== 'string') return 'must be a string'
  if (/[?#]/.test(baseUrl)) return 'must have no query and no fragment'
  // The page resolves a path alone; any origin serves to see whether it can be.
  const [url] = URL.canParse(baseUrl, PAGE) ? [new URL(baseUrl, PAGE)] : []
  if (!/^https?:$/.test(url?.protocol ?? '')) return 'must be an HTTP address or a path'
  return url?.username || url?.password ? 'must have no credentials' : null
}

const PAGE = 'https://page.invalid'

/**
 * The path of a key, or of what belongs to it. Rejects ids that would lead to another address: URLs resolve `.` and
 * `..` even when encoded, proxies may decode slashes, and a lone surrogate has no encoding.
 */
export function keyPath(id: string, rest = ''): string {
  const leads = typeof id !== 'string' || /^\.{0,2}$|[/\\\p{Cc}\p{Cs}]/u.test(id)
  if (leads) throw new ManagementError('key_not_found')
  return `/keys/${encodeURIComponent(id)}${rest}`
}
