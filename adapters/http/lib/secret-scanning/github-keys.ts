import { type FetchKeys, TIMEOUT_MS } from './public-keys.ts'

const LIST_URL = 'https://api.github.com/meta/public_keys/secret_scanning'

/**
 * Fetches the list from GitHub without a token. It sends the last `ETag` (RFC 9110 §13.1.2) and
 * returns the remembered list when nothing has changed.
 */
export function githubKeys(url = LIST_URL): FetchKeys {
  let known: { readonly etag: string; readonly list: unknown } | null = null
  return async () => {
    const headers = { accept: 'application/json', 'user-agent': 'miftah', ...condition(known) }
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (response.status === 304 && known !== null) return known.list
    if (!response.ok) throw new Error(`GitHub answered ${response.status}.`)
    const list: unknown = await response.json()
    const etag = response.headers.get('etag')
    known = etag === null ? null : { etag, list }
    return list
  }
}

function condition(known: { readonly etag: string } | null) {
  return known === null ? {} : { 'if-none-match': known.etag }
}
