import { Visitor } from './visitor.ts'

const SETTINGS = '/api/settings'
const PARSED = '/api/parsed'
const NEW_KEY = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }

/** How a host reads bodies. */
export interface BodyHabits {
  /** Whether bodies are parsed before a guard decides. */
  readonly parsesFirst: boolean
}

/**
 * What differs between the versions of a framework: body parsers before and behind miftah, broken
 * bodies, unknown routes and handlers that throw. Answers how many things were checked.
 */
export async function corners(port: number, { parsesFirst }: BodyHabits): Promise<number> {
  const host = new Visitor(port)
  const { key, secret } = (await host.expects(
    201,
    await host.manage(`${PARSED}/keys`, NEW_KEY),
  )) as {
    key: { id: string }
    secret: string
  }
  await host.expects(422, await host.manage(`${PARSED}/keys`, { ...NEW_KEY, name: '' }))
  await host.expects(404, await host.manage(`${SETTINGS}/nothing`, null))
  await host.expects(400, await host.post(`${SETTINGS}/keys`, '{"this is": no JSON'))
  await host.expects(413, await host.post(`${SETTINGS}/keys`, `"${'x'.repeat(70_000)}"`))

  const echoed = await host.expects(
    [200, 201],
    await host.post('/api/public/v1/echo', '{"a":1}', secret),
  )
  host.same(JSON.stringify(echoed), '{"a":1}')
  await host.expects(401, await host.post('/api/public/v1/echo', '{"a":1}'))
  if (!parsesFirst) await host.expects(401, await host.post('/api/public/v1/echo', '{"no JSON'))

  const broken = await host.visit('/api/public/v1/broken', secret)
  host.same(broken.headers.get('vary')?.includes('Authorization'), true)
  await host.expects(500, broken)
  await host.expects(401, await host.visit('/api/public/v1/broken', null))

  await host.expects(200, await host.manage(`${PARSED}/keys/${key.id}/revoke`, {}))
  await host.expects(401, await host.visit('/api/public/v1/broken', secret))
  return host.checks
}
