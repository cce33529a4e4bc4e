import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresStorage } from '../../adapters/storage/postgres.ts'
import { type ApiKeys, createApiKeys, plans } from '../../src/index.ts'
import { compiled } from '../support/compiled.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { keyInput, WORKSPACE } from '../support/world.ts'
import { httpApiEvent, restApiEvent, webEvent } from './serverless/events.ts'
import { ROOT, read } from './sources.ts'

/*
 * The handlers that the guides show for functions, each in a process that is killed as soon as its
 * platform may freeze it. No timer has written a use by then.
 */

const FOLDER = 'test/house/serverless'

const db = databaseForFile()
let keys: ApiKeys

beforeAll(async () => {
  const storage = postgresStorage(db.pool)
  await storage.migrate()
  keys = createApiKeys({ storage, entitlements: () => plans.enterprise })
})

afterAll(() => keys.close())

const FENCE = /^ *```(?:ts|typescript) (.*)\n([\s\S]*?)^ *```$/gm

/** The snippet of a guide whose fence names the platform. */
function snippetOf(guide: string, platform: string): string {
  const found = [...read(guide).matchAll(FENCE)].filter(([, mark = '']) =>
    mark.split(' ').includes(`platform=${platform}`),
  )
  expect(found).toHaveLength(1)
  return found[0]?.[2] ?? ''
}

/** Runs an instance that answers the events, and returns what it answered. */
async function answersOf(code: string, platform: string, events: readonly unknown[]) {
  const after = { 'next/server': join(ROOT, FOLDER, 'next-server.ts') }
  const alias = { ...after, '@/lib/keys': join(ROOT, FOLDER, 'keys.ts') }
  const file = await compiled({ code, folder: FOLDER, alias })
  const instance = await compiled({ code: "import './instance.ts'", folder: FOLDER })
  const { signal, stdout, stderr } = spawnSync(
    process.execPath,
    [instance, file, platform, JSON.stringify(events)],
    { encoding: 'utf8', env: { ...process.env, DATABASE_URL: db.url } },
  )
  expect([signal, stderr]).toEqual(['SIGKILL', ''])
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line))
}

/** Creates a key, and tells how often it has been used. */
async function usedKey() {
  const { key, secret } = await keys.createKey(keyInput())
  const uses = async () => (await keys.getKey({ workspaceId: WORKSPACE, id: key.id })).uses
  return { authorization: `Bearer ${secret}`, uses }
}

const LAMBDA = { guide: 'docs/serverless.md', call: 'lambda', writing: 0 }
const WEB = { guide: 'docs/serverless.md', call: 'web', writing: 1 }

const PLATFORMS = [
  { ...LAMBDA, platform: 'lambda', eventOf: httpApiEvent },
  { ...LAMBDA, platform: 'lambda-hono', eventOf: httpApiEvent },
  { ...LAMBDA, platform: 'lambda-hono', eventOf: restApiEvent },
  { ...WEB, platform: 'vercel', eventOf: webEvent },
  { ...WEB, platform: 'next', guide: 'docs/nextjs.md', eventOf: webEvent },
  { ...WEB, platform: 'worker', guide: 'docs/runtimes.md', call: 'worker', eventOf: webEvent },
]

describe.each(PLATFORMS)('$platform with $eventOf.name', (given) => {
  const { guide, platform, call, eventOf, writing } = given

  test('accepts a key and loses no use when its instance ends', async () => {
    const { authorization, uses } = await usedKey()
    const events = [eventOf(authorization), eventOf(authorization)]
    const accepted = { statusCode: 200, body: { workspace: WORKSPACE }, writing }
    expect(await answersOf(snippetOf(guide, platform), call, events)).toEqual([accepted, accepted])
    expect(await uses()).toBe(2)
  })

  test('refuses a request without a key', async () => {
    const [answer] = await answersOf(snippetOf(guide, platform), call, [eventOf(null)])
    expect(answer).toMatchObject({ statusCode: 401, body: { code: 'missing' } })
  })

  test('would lose the use if it did not flush', async () => {
    const { authorization, uses } = await usedKey()
    const code = snippetOf(guide, platform).replace('keys.flush()', 'Promise.resolve()')
    const [answer] = await answersOf(code, call, [eventOf(authorization)])
    expect(answer).toMatchObject({ statusCode: 200 })
    expect(await uses()).toBe(0)
  })
})

test('npm run fresh-apps runs the route of the guide in Next.js', () => {
  const plain = (code: string) => code.replaceAll(/\s+/g, '').replaceAll(',)', ')')
  const route = read('examples/nextjs/app/api/public/v1/contacts/route.ts')
  expect(plain(snippetOf('docs/nextjs.md', 'next'))).toBe(plain(route))
})
