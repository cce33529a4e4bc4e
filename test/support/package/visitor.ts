/** Sends requests to an app on this machine and counts what was as it should be. */
export class Visitor {
  checks = 0
  readonly #base: string

  constructor(port: number) {
    this.#base = `http://127.0.0.1:${port}`
  }

  same(actual: unknown, wanted: unknown): void {
    if (actual !== wanted) throw new Error(`got ${actual}, wanted ${wanted}`)
    this.checks += 1
  }

  /** The body of a response that must have the status, or one of several. */
  async expects(wanted: number | readonly number[], response: Response): Promise<unknown> {
    const text = await response.text()
    const { pathname } = new URL(response.url)
    const statuses = [wanted].flat()
    if (!statuses.includes(response.status)) {
      throw new Error(`${pathname} answered ${response.status}, wanted ${statuses}: ${text}`)
    }
    this.checks += 1
    return JSON.parse(text)
  }

  /** A call of the management routes; `session` is the cookie. */
  manage(path: string, body: object | null, session: string | null = SESSION): Promise<Response> {
    const content = body === null ? null : JSON.stringify(body)
    return this.#send(path, { method: body === null ? 'GET' : 'POST', content, session })
  }

  /** A POST of a text that claims to be JSON, by somebody who is signed in. */
  post(path: string, content: string, secret: string | null = null): Promise<Response> {
    return this.#send(path, { method: 'POST', content, secret, session: SESSION })
  }

  /** A call of the public API. */
  visit(path: string, secret: string | null): Promise<Response> {
    return this.#send(path, { method: 'GET', secret })
  }

  #send(path: string, { method, content = null, secret = null, session = null }: Call) {
    const headers = new Headers()
    if (content !== null) headers.set('content-type', 'application/json')
    if (session !== null) headers.set('cookie', session)
    if (secret !== null) headers.set('authorization', `Bearer ${secret}`)
    return fetch(`${this.#base}${path}`, { method, headers, body: content })
  }
}

const SESSION = 'session=noura'

interface Call {
  readonly method: string
  readonly content?: string | null
  readonly secret?: string | null
  readonly session?: string | null
}
