import { expect, test } from 'vitest'
import { plans } from '../../../src/index.ts'
import { saidOf } from '../../support/lifecycle/world.ts'
import { action, keyInput, openWorld, WORKSPACE } from '../../support/world.ts'

async function worldWith(count: number) {
  const world = openWorld()
  const { keys } = world
  world.plan = plans.enterprise
  const create = async (name: string) => (await keys.createKey(keyInput({ name }))).key.id
  for (let made = 0; made < count; made += 1) await create(`k${made}`)
  const list = async (query: Partial<Parameters<typeof keys.listEvents>[0]> = {}) => {
    const { events, nextCursor: cursor } = await keys.listEvents({
      workspaceId: WORKSPACE,
      ...query,
    })
    return { events, cursor, names: events.map(({ data }) => data.name) }
  }
  return { keys, create, list }
}

test('events are listed oldest first, and a cursor goes on from now or later', async () => {
  const { create, list } = await worldWith(7)
  const names: string[][] = []
  let cursor: string | null = null
  for (let page = 0; page < 3; page += 1) {
    const read: Awaited<ReturnType<typeof list>> = await list({ limit: 3, cursor })
    names.push(read.names)
    cursor = read.cursor
  }
  expect(names).toEqual([['k0', 'k1', 'k2'], ['k3', 'k4', 'k5'], ['k6']])
  expect(await list({ cursor })).toMatchObject({ events: [], cursor })
  await create('later')
  expect((await list({ cursor })).names).toEqual(['later'])
})

test('events of one key are listed, also the newest first', async () => {
  const { keys, create, list } = await worldWith(3)
  const keyId = await create('watched')
  await keys.pauseKey(action(keyId))
  await create('later')
  await keys.resumeKey(action(keyId))
  const typesOf = async (query: Parameters<typeof list>[0]) => {
    const { events, cursor } = await list({ keyId, limit: 2, ...query })
    expect(events.every((event) => event.keyId === keyId)).toBe(true)
    return { types: events.map(({ type }) => type.replace('api_key.', '')), cursor }
  }
  expect((await typesOf({})).types).toEqual(['created', 'paused'])
  const { types, cursor } = await typesOf({ newestFirst: true })
  expect(types).toEqual(['resumed', 'paused'])
  expect((await typesOf({ newestFirst: true, cursor })).types).toEqual(['created'])
  expect((await typesOf({ cursor })).types).toEqual(['resumed'])
  expect((await list({ newestFirst: true })).names[1]).toBe('later')
  expect((await list({ keyId, workspaceId: 'ws_2' })).events).toEqual([])
})

test('events come 50 to a page by default', async () => {
  const { list } = await worldWith(60)
  expect((await list()).events).toHaveLength(50)
  expect((await list({ limit: 200 })).events).toHaveLength(60)
})

test('an invalid cursor, or one of another workspace, is refused', async () => {
  const { keys, list } = await worldWith(1)
  await keys.createKey(keyInput({ workspaceId: 'ws_2' }))
  const { cursor: foreign } = await list({ workspaceId: 'ws_2' })
  for (const cursor of [foreign, 'evt_x', '']) {
    expect(await saidOf(list({ cursor }))).toEqual([
      expect.stringMatching(/^cursor invalid_value: /),
    ])
  }
})
