import { beforeEach, expect, test } from 'vitest'
import { relayEvents } from '../../src/events/index.ts'
import { mintSecret } from '../../src/secret/mint.ts'
import { miftah } from '../support/command-line.ts'
import { migratedPath, rawAt, storageAt } from '../support/sqlite-files.ts'
import { keyInput, until } from '../support/world.ts'
import { done, expectRefused, jsonOf, keysAt, NEW } from './world.ts'

let path: string
let id: string
let secret: string
beforeEach(async () => {
  path = await migratedPath()
  const by = ['--actor-id', 'u_1', '--actor-name', 'نورة']
  const created = await jsonOf('create', ...NEW, ...by, '-d', path)
  id = created.key.id
  secret = created.secret
})

const on = (...words: string[]) => miftah([...words, '-d', path, '-w', 'ws_1'])
const everywhere = (...words: string[]) => miftah([...words, '-d', path])
const log = (...words: string[]) => jsonOf('events', '-d', path, '-w', 'ws_1', ...words)

const verdictOn = async (text = secret) => {
  const auth = await keysAt(path).authenticateSecret(text.trim(), null)
  return auth.ok ? 'accepted' : auth.reason
}

test('create and rotate print the secret alone on standard output', async () => {
  const created = await everywhere('create', ...NEW)
  expect(created.out).toMatch(/^svc_live_\w{46}\n$/)
  const sentence =
    /^key_\S+ was created, with the scope contacts\.read\. Its secret is shown only once:\n$/
  expect(created).toMatchObject({ code: 0, err: expect.stringMatching(sentence) })
  expect(await verdictOn(created.out)).toBe('accepted')
  const { code, out } = await on('rotate', id)
  expect({ code, old: await verdictOn() }).toEqual({ code: 0, old: 'revoked' })
  expect(await verdictOn(out)).toBe('accepted')
})

test('list and events show what there is, by whom, without secrets', async () => {
  const { out } = await on('list')
  const [headings, line, ...more] = out.split('\n')
  const columns = ['id', 'prefix', 'type', 'status', 'uses', 'last used', 'name']
  expect(headings?.split(/ {2,}/)).toEqual(columns)
  expect(line).toMatch(/^key_\S+ {2}svc_live_\w{3}… {2}live {2}active {2}0 +never +CRM sync$/)
  expect(more).toEqual([''])
  expect(out).not.toContain(secret)
  expect(await jsonOf('list', '-d', path, '-w', 'ws_1', '--status', 'revoked')).toEqual([])
  const [heads, event, ...others] = (await on('events')).out.split('\n')
  expect(heads?.split(/ {2,}/)).toEqual(['at', 'event', 'key', 'actor', 'name'])
  expect(event).toMatch(/^\d{4}\S+Z {2}api_key\.created {2}key_\S+ {2}u_1 \(نورة\) +CRM sync$/)
  expect(others).toEqual([''])
  expect(await jsonOf('events', '-d', path, '-w', 'ws_2')).toEqual([])
})

test('list and events go through all pages', async () => {
  const keys = keysAt(path)
  const create = () => keys.createKey(keyInput({ workspaceId: 'ws_1' }))
  for (let times = 0; times < 204; times += 1) await create()
  expect(await jsonOf('list', '-d', path, '-w', 'ws_1')).toHaveLength(205)
  expect(await log()).toHaveLength(205)
  expect(await log('--key', id)).toMatchObject([{ type: 'api_key.created', keyId: id }])
})

test('pause and resume stop a key and let it work again, also the second time', async () => {
  for (let times = 0; times < 2; times += 1) {
    expect(await on('pause', id)).toEqual(done(`${id} is paused.\n`))
  }
  expect(await verdictOn()).toBe('paused')
  expect(await on('resume', id)).toEqual(done(`${id} is active.\n`))
  expect(await verdictOn()).toBe('accepted')
})

test('revoke says when, also the second time, and nothing brings the key back', async () => {
  const words = ['revoke', id, '-d', path, '-w', 'ws_1', '--reason']
  await expectRefused([...words, 'stolen'], 'must be one of: leaked, unused, reported, exposed,')
  const other = ['revoke', id, '-d', path, '-w', 'ws_2']
  await expectRefused(other, 'There is no such key in this workspace.', { code: 1 })
  const first = await miftah([...words, 'unused'])
  expect(first).toEqual(done(expect.stringMatching(/^key_\S+ was revoked at \d{4}-\S+Z\.\n$/)))
  const revoked = { type: 'api_key.revoked', data: { reason: 'unused' } }
  expect((await log()).at(-1)).toMatchObject(revoked)
  expect(await on('revoke', id)).toEqual(first)
  expect(await jsonOf('revoke', id, '-d', path, '-w', 'ws_1')).toMatchObject({
    id,
    status: 'revoked',
  })
  for (const command of ['pause', 'resume']) {
    expect(await on(command, id)).toMatchObject({ code: 1, out: '' })
  }
  expect(await verdictOn()).toBe('revoked')
})

test('revoke takes the keys that pass filters, and says before which they are', async () => {
  const filters = ['--creator', 'u_1', '-e', 'live', '-s', 'contacts.read']
  const dry = await on('revoke', ...filters, '--dry-run')
  expect(dry.out).toMatch(new RegExp(`^id .*\\n${id} .*\\n1 key would be revoked\\.\\n$`))
  expect(await verdictOn()).toBe('accepted')
  expect((await on('revoke', ...filters, '--unused-for-days', '7')).out).toBe('0 keys revoked.\n')
  expect((await on('revoke', ...filters)).out).toMatch(/\n1 key revoked\.\n$/)
  expect(await verdictOn()).toBe('revoked')
})

test('find reads the secret from standard input and never prints it', async () => {
  const found = await miftah(['find', '-d', path], `${secret}\n`)
  expect(found).toEqual(done(`${id} of workspace ws_1, active: CRM sync\n`))
  expect((await miftah(['find', '-d', path, '--json'], secret)).out).not.toContain(secret)
  const none = await miftah(['find', '-d', path], mintSecret('svc', 'live'))
  expect(none).toEqual({ code: 1, out: '', err: 'No key has this secret.\n' })
})

/** Without `--yes` nothing happens. */
async function expectUnconfirmed(...words: string[]) {
  const before = await log()
  const [command] = words
  const message = `${command} cannot be undone: confirm it with --yes.`
  await expectRefused([...words, '-d', path], message)
  expect(await log()).toEqual(before)
  expect(await verdictOn()).toBe('accepted')
}

test('erase-person and erase-workspace erase once they are confirmed', async () => {
  await expectUnconfirmed('erase-person', 'u_1')
  const out = 'The person is erased (keys: 1, events: 1).\n'
  expect(await everywhere('erase-person', 'u_1', '--yes')).toEqual(done(out))
  expect(await log()).toMatchObject([{ actor: { id: 'miftah:erased' } }])
  await expectUnconfirmed('erase-workspace', 'ws_1')
  const counts = await jsonOf('erase-workspace', 'ws_1', '--yes', '-d', path)
  expect(counts).toEqual({ keys: 1, events: 0 })
  expect(await verdictOn()).not.toBe('accepted')
  expect(await everywhere('create', ...NEW)).toMatchObject({ code: 1, out: '' })
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
    const out = `Purged (${counts}).\n`
    expect(await everywhere('purge', '--yes', option, before)).toEqual(done(out))
  }
  expect(await log()).toMatchObject([{ type: 'api_key.created', keyId: id }])
  expect(await verdictOn()).toBe('accepted')
})
