import { type RunningServer, startServer } from '../../support/package/child.ts'
import { Visitor } from '../../support/package/visitor.ts'
import { walk } from '../../support/package/walk.ts'

const SETTINGS = '/api/settings/keys'
const PUBLIC = '/api/public/v1/contacts'
const NEW_KEY = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }

/**
 * Drives an app in two processes on the same database: the way of a key, refusals, and changes that
 * the other process has made. Answers how many things were checked.
 */
export async function driveApp(
  home: string,
  words: readonly string[],
  more: (port: number) => Promise<number>,
): Promise<number> {
  const servers: RunningServer[] = []
  const start = async () => {
    const server = await startServer([process.execPath, ...words], home, { env: { PORT: '0' } })
    servers.push(server)
    return server.port
  }
  try {
    const first = await start()
    const checks = (await more(first)) + (await walk(first)) + (await refused(first))
    return checks + (await inTwoProcesses(first, await start()))
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** What the routes and the guard refuse, each with its own status. */
async function refused(port: number): Promise<number> {
  const host = new Visitor(port)
  const { key, secret } = await created(host, ['orders.read'])
  await host.expects(403, await host.visit(PUBLIC, secret))
  await host.expects(422, await host.manage(SETTINGS, { ...NEW_KEY, name: '' }))
  await host.expects(404, await host.manage(`${SETTINGS}/key_of_nobody`, null))
  await host.expects(200, await host.manage(`${SETTINGS}/${key.id}/revoke`, {}))
  await host.expects(409, await host.manage(`${SETTINGS}/${key.id}/rotate`, {}))
  return host.checks
}

/** The second process has never seen the workspace, and its changes hold in the first. */
async function inTwoProcesses(first: number, second: number): Promise<number> {
  const one = new Visitor(first)
  const two = new Visitor(second)
  const { key, secret } = await created(one, NEW_KEY.scopes)
  await two.expects(200, await two.visit(PUBLIC, secret))
  await one.expects(200, await one.visit(PUBLIC, secret))
  await two.expects(200, await two.manage(`${SETTINGS}/${key.id}/revoke`, {}))
  await one.expects(401, await one.visit(PUBLIC, secret))
  return one.checks + two.checks
}

interface Created {
  readonly key: { readonly id: string }
  readonly secret: string
}

async function created(host: Visitor, scopes: readonly string[]): Promise<Created> {
  const answer = await host.expects(201, await host.manage(SETTINGS, { ...NEW_KEY, scopes }))
  return answer as Created
}
