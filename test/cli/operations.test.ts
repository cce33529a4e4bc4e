import { beforeEach, describe, expect, test } from 'vitest'
import { relayEvents } from '../../src/events/index.ts'
import { createApiKeys, plans } from '../../src/index.ts'
import { miftah } from '../support/command-line.ts'
import { migratedPath, rawAt, storageAt } from '../support/sqlite-files.ts'
import { until } from '../support/world.ts'

let path: string
let id: string
let secret: string
beforeEach(async () => {
  path = await migratedPath()
  const words = ['-w', 'ws_1', '-n', 'CRM sync', '-e', 'live', '-s', 'contacts.read', '--json']
  const created = JSON.parse((await on('create', ...words, '--actor-id', 'u_1')).out)
  id = created.key.id
  secret = created.secret
})

const on = (...words: string[]) => miftah([...words, '-d', path])

const keysOf = (now = () => new Date()) =>
  createApiKeys({ storage: storageAt(path), entitlements: () => plans.enterprise, now })

const reasonFor = async () => {
  const auth = await keysOf().authenticateSecret(secret, null)
  return auth.ok ? 'accepted' : auth.reason
}

const log = async (...words: string[]) =>
  JSON.parse((await on('events', '-w', 'ws_1', '--json', ...words)).out)

describe('pause and resume', () => {
  test('stop a key and let it work again, also the second time', async () => {
    for (let times = 0; times < 2; times += 1) {
      expect(await on('pause', id, '-w', 'ws_1')).toEqual({
        ...{ code: 0, err: '' },
        out: `${id} is paused.\n`,
      })
    }
    expect(await reasonFor()).toBe('paused')
    const resumed = await on('resume', id, '-w', 'ws_1', '--json')
    expect(JSON.parse(resumed.out)).toMatchObject({ id, status: 'active' })
    expect(await reasonFor()).toBe('accepted')
  })

  test('cannot bring a revoked key back', async () => {
    await on('revoke', id, '-w', 'ws_1')
    for (const command of ['pause', 'resume']) {
      expect(await on(command, id, '-w', 'ws_1')).toMatchObject({ code: 1, out: '' })
    }
    expect(await reasonFor()).toBe('revoked')
  })
})

describe('events', () => {
  test('are those of the workspace, oldest first, by whom', async () => {
    await on('pause', id, '-w', 'ws_1', '--actor-id', 'u_2', '--actor-name', 'نورة')
    const { code, out } = await on('events', '-w', 'ws_1')
    expect(code).toBe(0)
    const [headings, created, paused, ...more] = out.split('\n')
    expect(headings?.split(/ {2,}/)).toEqual(['at', 'event', 'key', 'actor', 'name'])
    expect(created).toMatch(/^\d{4}\S+Z {2}api_key\.created {2}key_\S+ {2}u_1 \(.+\) +CRM sync$/)
    expect(paused).toMatch(/ {2}api_key\.paused {3}key_\S+ {2}u_2 \(نورة\) +CRM sync$/)
    expect(more).toEqual([''])
    expect((await on('events', '-w', 'ws_2')).out.trim()).toBe('at  event  key  actor  name')
  })

  test('of one key, through all pages', async () => {
    const keys = keysOf()
    const action = { workspaceId: 'ws_1', id, actor: { id: 'u', name: 'u' } }
    for (let times = 0; times < 100; times += 1) {
      await keys.pauseKey(action)
      await keys.resumeKey(action)
    }
    await on('create', '-w', 'ws_1', '-n', 'other', '-e', 'test', '-s', 'contacts.read')
    expect(await log()).toHaveLength(202)
    const events = await log('--key', id)
    expect(events).toHaveLength(201)
    expect(events.at(-1)).toMatchObject({ type: 'api_key.resumed', keyId: id })
  })
})

describe('what cannot be undone', () => {
  const refused = async (...words: string[]) => {
    const before = await log()
    expect(await on(...words)).toMatchObject({ code: 2, out: '' })
    expect(await log()).toEqual(before)
    expect(await reasonFor()).toBe('accepted')
  }

  test('erase-person takes a person away, once it is confirmed', async () => {
    await refused('erase-person', 'u_1')
    expect(await on('erase-person', 'u_1', '--yes')).toEqual({
      ...{ code: 0, err: '' },
      out: 'The person is erased (keys: 1, events: 1).\n',
    })
    expect(await log()).toMatchObject([{ actor: { id: 'miftah:erased' } }])
    expect(await reasonFor()).toBe('accepted')
  })

  test('erase-workspace ends its keys and closes it, once it is confirmed', async () => {
    await refused('erase-workspace', 'ws_1')
    const { code, out } = await on('erase-workspace', 'ws_1', '--yes', '--json')
    expect({ code, counts: JSON.parse(out) }).toEqual({ code: 0, counts: { keys: 1, events: 0 } })
    expect(await reasonFor()).toBe('unknown')
    const again = ['-w', 'ws_1', '-n', 'x', '-e', 'live', '-s', 'contacts.read']
    expect(await on('create', ...again)).toMatchObject({ code: 1, out: '' })
  })

  test('purge deletes what ended and was delivered before, once it is confirmed', async () => {
    const longAgo = new Date('2026-01-01T12:00:00Z')
    const fields = { name: 'old', environment: 'live', scopes: ['contacts.read'] } as const
    const actor = { id: 'u', name: 'u' }
    const keys = keysOf(() => longAgo)
    const { key } = await keys.createKey({ workspaceId: 'ws_1', creator: actor, ...fields })
    await keys.revokeKey({ workspaceId: 'ws_1', id: key.id, actor })
    const delivered: string[] = []
    const relay = relayEvents({
      storage: storageAt(path),
      deliver: ({ id: event }) => void delivered.push(event),
    })
    await until(() => delivered.length === 3)
    await relay.stop()

    // As if all of it had been written more than an hour ago.
    rawAt(path).exec(`DROP TRIGGER miftah_events_stay;
      UPDATE miftah_events SET written_at_ms = 0; UPDATE miftah_keys SET written_at_ms = 0`)
    await refused('purge', '--ended-before', '2026-01-02')
    const purged = (...words: string[]) => on('purge', '--yes', ...words)
    expect((await purged('--ended-before', '2026-01-01')).out).toBe(
      'Purged (keys: 0, events: 0).\n',
    )
    expect((await purged('--ended-before', '2026-01-01T12:00:01Z')).out).toBe(
      'Purged (keys: 1, events: 0).\n',
    )
    expect((await purged('--events-before', '2026-01-02')).out).toBe(
      'Purged (keys: 0, events: 2).\n',
    )
    expect(await log()).toMatchObject([{ type: 'api_key.created', keyId: id }])
    expect(await reasonFor()).toBe('accepted')
  })
})
