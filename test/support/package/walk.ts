import { setTimeout as wait } from 'node:timers/promises'
import { Visitor } from './visitor.ts'

const SETTINGS = '/api/settings'
const PUBLIC = '/api/public/v1/contacts'
const NEW_KEY = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }

/**
 * The way of one key through a running host: created in the settings, accepted, counted, revoked,
 * refused. Answers how many things were checked; throws at the first that is not so.
 */
export async function walk(port: number): Promise<number> {
  const host = new Visitor(port)
  await host.expects(401, await host.manage(`${SETTINGS}/keys`, NEW_KEY, null))
  await host.expects(401, await host.visit(PUBLIC, null))
  const created = await host.expects(201, await host.manage(`${SETTINGS}/keys`, NEW_KEY))
  const { key, secret } = created as { key: { id: string }; secret: string }
  const used = await host.expects(200, await host.visit(PUBLIC, secret))
  host.same(JSON.stringify(used), '{"workspace":"ws_1"}')
  await countsUse(host)
  await host.expects(200, await host.manage(`${SETTINGS}/keys/${key.id}/revoke`, {}))
  await host.expects(401, await host.visit(PUBLIC, secret))
  return host.checks
}

/** Uses are written once a second. */
async function countsUse(host: Visitor): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    const list = await (await host.manage(`${SETTINGS}/keys`, null)).json()
    if ((list as { keys: Counted[] }).keys[0]?.uses === 1) return host.same(true, true)
    await wait(100)
  }
  throw new Error('the use was not counted in five seconds')
}

interface Counted {
  readonly uses: number
}
