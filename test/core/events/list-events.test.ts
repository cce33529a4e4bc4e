import { describe, expect, test } from 'vitest'
import { action, keyInput, openWorld, refusal } from '../../support/world.ts'

async function worldWith(count: number) {
  const world = openWorld()
  world.plan = { publicApi: true, activeKeyLimit: null }
  for (let made = 0; made < count; made += 1)
    await world.keys.createKey(keyInput({ name: `k${made}` }))
  return world
}

describe('listEvents', () => {
  test('oldest first, and a cursor to go on from now or later', async () => {
    const { keys } = await worldWith(7)
    const names: string[] = []
    let cursor: string | null = null
    for (const expected of [3, 3, 1]) {
      const page: Awaited<ReturnType<typeof keys.listEvents>> = await keys.listEvents({
        workspaceId: 'ws_1',
        limit: 3,
        cursor,
      })
      expect(page.events).toHaveLength(expected)
      names.push(...page.events.map(({ data }) => data.name))
      cursor = page.nextCursor
    }
    expect(names).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6'])
    const rest = await keys.listEvents({ workspaceId: 'ws_1', cursor })
    expect(rest).toEqual({ events: [], nextCursor: cursor })
    await keys.createKey(keyInput({ name: 'later' }))
    const later = await keys.listEvents({ workspaceId: 'ws_1', cursor })
    expect(later.events.map(({ data }) => data.name)).toEqual(['later'])
  })

  test('those of one key, and the newest first', async () => {
    const { keys } = await worldWith(3)
    const { key } = await keys.createKey(keyInput({ name: 'watched' }))
    await keys.pauseKey(action(key.id))
    await keys.createKey(keyInput({ name: 'later' }))
    await keys.resumeKey(action(key.id))
    const query = { workspaceId: 'ws_1', keyId: key.id, limit: 2 }
    const typesOf = async (order: { newestFirst?: boolean; cursor?: string | null }) => {
      const { events, nextCursor } = await keys.listEvents({ ...query, ...order })
      expect(events.every(({ keyId }) => keyId === key.id)).toBe(true)
      return { types: events.map(({ type }) => type.slice('api_key.'.length)), cursor: nextCursor }
    }
    expect((await typesOf({})).types).toEqual(['created', 'paused'])
    const newest = await typesOf({ newestFirst: true })
    expect(newest.types).toEqual(['resumed', 'paused'])
    const { cursor } = newest
    expect((await typesOf({ newestFirst: true, cursor })).types).toEqual(['created'])
    expect((await typesOf({ cursor })).types).toEqual(['resumed'])
    const all = await keys.listEvents({ workspaceId: 'ws_1', newestFirst: true })
    expect(all.events[1]?.data.name).toBe('later')
    expect(await keys.listEvents({ ...query, workspaceId: 'ws_2' })).toMatchObject({ events: [] })
  })

  test('50 to a page by default', async () => {
    const { keys } = await worldWith(60)
    expect((await keys.listEvents({ workspaceId: 'ws_1' })).events).toHaveLength(50)
    expect((await keys.listEvents({ workspaceId: 'ws_1', limit: 200 })).events).toHaveLength(60)
  })

  test('a cursor of nowhere or of another workspace is bad input', async () => {
    const { keys } = await worldWith(1)
    await keys.createKey(keyInput({ workspaceId: 'ws_2' }))
    const { nextCursor } = await keys.listEvents({ workspaceId: 'ws_2' })
    for (const cursor of [nextCursor, 'evt_x', '']) {
      const error = await refusal(keys.listEvents({ workspaceId: 'ws_1', cursor }))
      expect(error.issues).toMatchObject([{ path: ['cursor'], code: 'invalid_value' }])
    }
  })
})
