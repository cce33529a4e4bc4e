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
 * The handlers that the guide shows for functions, each in a process that is killed as soon as its
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

/** The snippet of the guide whose fence names the platform. */
function snippetOf(platform: string): string {
  const fence = new RegExp(`^ *\`\`\`t.*\\bplatform=${platform}\n([\\s\\S]*?)^ *\`\`\`$`, 'm')
  return fence.exec(read('docs/runtimes.md'))?.[1] ?? ''
}

/** Runs an instance that answers the events, and returns what it answered. */
async function answersOf(code: string, call: string, events: readonly unknown[]) {
  const after = { 'next/server': join(ROOT, FOLDER, 'next-server.ts') }
  const alias = { ...after, '@/lib/keys': join(ROOT, FOLDER, 'keys.ts') }
  const file = await compiled({ code, folder: FOLDER, alias })
  const instance = await compiled({ code: "import './instance.ts'", folder: FOLDER })
  const { signal, stdout, stderr } = spawnSync(
    process.execPath,
    [instance, file, call, JSON.stringify(events)],
    { encoding: 'utf8', env: { ...process.env, DATABASE_URL: db.url } },
  )
  expect([signal, stderr]).toEqual(['SIGKILL', ''])
  return stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
}

const LAMBDA = { platform: 'lambda-hono', call: 'lambda', writing: 0 }
const WEB = { call: 'web', writing: 1, eventOf: webEvent }

describe.each([
  { ...LAMBDA, eventOf: httpApiEvent },
  { ...LAMBDA, eventOf: restApiEvent },
  { ...WEB, platform: 'vercel' },
  { ...WEB, platform: 'next' },
  { ...WEB, platform: 'worker', call: 'worker' },
])('$platform with $eventOf.name', ({ platform, call, eventOf, writing }) => {
  const code = snippetOf(platform)

  test('accepts a key and loses no use when its instance ends', async () => {
    const { key, secret } = await keys.createKey(keyInput())
    const event = eventOf(`Bearer ${secret}`)
    const accepted = { statusCode: 200, body: { workspace: WORKSPACE }, writing }
    expect(await answersOf(code, call, [event, event])).toEqual([accepted, accepted])
    expect((await keys.getKey({ workspaceId: WORKSPACE, id: key.id })).uses).toBe(2)
  })

  test('refuses a request without a key', async () => {
    const [answer] = await answersOf(code, call, [eventOf(null)])
    expect(answer).toMatchObject({ statusCode: 401, body: { code: 'missing' } })
  })
})
