import { setTimeout as wait } from 'node:timers/promises'

const SETTINGS = '/api/settings'
const PUBLIC = '/api/public/v1/contacts'
const NEW_KEY = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }

/**
 * The way of one key through a running host: created in the settings, accepted, counted, revoked,
 * refused. Answers how many things were checked; throws at the first that is not so.
 */
export async function walk(port: number): Promise<number> {
  const host = new Visitor(port)
  await host.expects(401, await host.manage('/keys', NEW_KEY, null))
  await host.expects(401, await host.visit(null))
  const created = await host.expects(201, await host.manage('/keys', NEW_KEY))
  const { key, secret } = created as { key: { id: string }; secret: string }
  const used = await host.expects(200, await host.visit(secret))
  host.same(JSON.stringify(used), '{"workspace":"ws_1"}')
  await host.countsUse()
  await host.expects(200, await host.manage(`/keys/${key.id}/revoke`, {}))
  await host.expects(401, await host.visit(secret))
  return host.checks
}

class Visitor {
  checks = 0
  readonly #base: string

  constructor(port: number) {
    this.#base = `http://127.0.0.1:${port}`
  }

  same(actual: unknown, wanted: unknown): void {
    if (actual !== wanted) throw new Error(`got ${actual}, wanted ${wanted}`)
    this.checks += 1
  }

  async expects(status: number, response: Response): Promise<unknown> {
    const text = await response.text()
    const { pathname } = new URL(response.url)
    this.same(`${pathname} ${response.status}`, `${pathname} ${status}`)
    return JSON.parse(text)
  }

  manage(path: string, body: object | null, session: string | null = 'session=noura') {
    const cookie = session === null ? {} : { cookie: session }
    const json = { 'content-type': 'application/json' }
    const init = body === null ? {} : { method: 'POST', body: JSON.stringify(body) }
    return fetch(`${this.#base}${SETTINGS}${path}`, { ...init, headers: { ...cookie, ...json } })
  }

  visit(secret: string | null): Promise<Response> {
    const headers = secret === null ? {} : { authorization: `Bearer ${secret}` }
    return fetch(`${this.#base}${PUBLIC}`, { headers })
  }

  /** Uses are written once a second. */
  async countsUse(): Promise<void> {
    for (let tries = 0; tries < 50; tries += 1) {
      const { keys } = (await (await this.manage('/keys', null)).json()) as { keys: Counted[] }
      if (keys[0]?.uses === 1) {
        this.checks += 1
        return
      }
      await wait(100)
    }
    throw new Error('the use was not counted in five seconds')
  }
}

interface Counted {
  readonly uses: number
}
