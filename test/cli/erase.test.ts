import { beforeEach, expect, test } from 'vitest'
import { relayEvents } from '../../src/events/index.ts'
import { miftah } from '../support/command-line.ts'
import { migratedPath, rawAt, storageAt } from '../support/sqlite-files.ts'
import { keyInput, until } from '../support/world.ts'
import { done, expectRefused, jsonOf, keysAt, NEW } from './world.ts'

let path: string
let id: string
let secret: string
beforeEach(async () => {
  path = await migratedPath()
  const created = await jsonOf('create', ...NEW, '-d', path, '--actor-id', 'u_1')
  id = created.key.id
  secret = created.secret
})

const on = (...words: string[]) => miftah([...words, '-d', path])
const log = () => jsonOf('events', '-w', 'ws_1', '-d', path)
const works = async () => (await keysAt(path).authenticateSecret(secret, null)).ok

/** Without `--yes` nothing happens. */
async function expectUnconfirmed(...words: string[]) {
  const before = await log()
  const [command] = words
  const message = `${command} cannot be undone: confirm it with --yes.`
  await expectRefused([...words, '-d', path], message)
  expect(await log()).toEqual(before)
  expect(await works()).toBe(true)
}

test('erase-person takes a person away, once it is confirmed', async () => {
  await expectUnconfirmed('erase-person', 'u_1')
  const out = 'The person is erased (keys: 1, events: 1).\n'
  expect(await on('erase-person', 'u_1', '--yes')).toEqual(done(out))
  expect(await log()).toMatchObject([{ actor: { id: 'miftah:erased' } }])
  expect(await works()).toBe(true)
})

test('erase-workspace ends its keys and closes it, once it is confirmed', async () => {
  await expectUnconfirmed('erase-workspace', 'ws_1')
  const counts = await jsonOf('erase-workspace', 'ws_1', '--yes', '-d', path)
  expect(counts).toEqual({ keys: 1, events: 0 })
  expect(await works()).toBe(false)
  expect(await on('create', ...NEW)).toMatchObject({ code: 1, out: '' })
})

test('purge deletes what ended and was delivered before, once it is confirmed', async () => {
  const keys = keysAt(path, { now: () => new Date('2026-01-01T12:00:00Z') })
  const { key } = await keys.createKey(keyInput({ workspaceId: 'ws_1' }))
  await keys.revokeKey({ workspaceId: 'ws_1', id: key.id, actor: { id: 'u', name: 'u' } })
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
  await expectUnconfirmed('purge', '--ended-before', '2026-01-02')
  for (const [option, before, counts] of [
    ['--ended-before', '2026-01-01', 'keys: 0, events: 0'],
    ['--ended-before', '2026-01-01T12:00:01Z', 'keys: 1, events: 0'],
    ['--events-before', '2026-01-02', 'keys: 0, events: 2'],
  ] as const) {
    expect(await on('purge', '--yes', option, before)).toEqual(done(`Purged (${counts}).\n`))
  }
  expect(await log()).toMatchObject([{ type: 'api_key.created', keyId: id }])
  expect(await works()).toBe(true)
})
