import { createHash, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { RequestListener } from 'node:http'

/** Signs as GitHub does, with a P-256 key of its own, and answers its list of public keys. */
export class GitHub {
  readonly #pairs = new Map<string, KeyObject>()
  readonly #listed: { key_identifier: string; key: string; is_current: boolean }[] = []
  /** How often the list was asked for. */
  asked = 0
  /** How often it had not changed. */
  notModified = 0
  #hourBeganMs = performance.now()
  #inThisHour = 0
  /** While true, the list cannot be had. */
  down = false

  constructor(...ids: readonly string[]) {
    for (const id of ids) this.addKey(id)
  }

  addKey(id: string): void {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#pairs.set(id, privateKey)
    const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    this.#listed.push({ key_identifier: id, key, is_current: true })
  }

  /** Takes a key off the list; GitHub can still sign with it. */
  dropKey(id: string): void {
    const at = this.#listed.findIndex(({ key_identifier }) => key_identifier === id)
    this.#listed.splice(at, 1)
  }

  readonly fetchKeys = async (): Promise<unknown> => {
    this.asked += 1
    if (this.down) throw new Error('GitHub is down')
    return { public_keys: structuredClone(this.#listed) }
  }

  /**
   * The list over HTTP as GitHub serves it: with an `ETag`, and 403 from the 61st request of an hour
   * of `performance.now()` on. Without a token, a 304 counts like any other answer.
   */
  readonly serve: RequestListener = (request, response) => {
    this.asked += 1
    const nowMs = performance.now()
    if (nowMs - this.#hourBeganMs >= 3_600_000) {
      this.#hourBeganMs = nowMs
      this.#inThisHour = 0
    }
    this.#inThisHour += 1
    if (this.#inThisHour > 60) {
      response.writeHead(403).end('{"message":"API rate limit exceeded"}')
      return
    }
    const body = JSON.stringify({ public_keys: this.#listed })
    const etag = `"${createHash('sha256').update(body).digest('hex')}"`
    const isKnown = request.headers['if-none-match'] === etag
    if (isKnown) this.notModified += 1
    const headers = { 'content-type': 'application/json', etag }
    if (isKnown) response.writeHead(304, { etag }).end()
    else response.writeHead(200, headers).end(body)
  }

  /** The two headers over a body. */
  sign(body: string | Uint8Array, id = 'key-1'): Record<string, string> {
    const privateKey = this.#pairs.get(id)
    if (privateKey === undefined) throw new Error(`GitHub has no key ${id}`)
    const signature = createSign('SHA256').update(body).sign(privateKey, 'base64')
    return { 'github-public-key-identifier': id, 'github-public-key-signature': signature }
  }
}

/** One alert as GitHub writes it. */
export function alertOf(token: string, fields: Readonly<Record<string, unknown>> = {}) {
  const url = 'https://github.com/octocat/Hello-World/blob/1234/foo/bar.txt'
  return { token, type: 'miftah_api_key', url, source: 'content', ...fields }
}
