import { beforeEach, describe, expect, test } from 'vitest'
import { mintSecret } from '../../src/secret/mint.ts'
import { miftah } from '../support/command-line.ts'
import { migratedPath } from '../support/sqlite-files.ts'
import { done, expectRefused, jsonOf, keysAt, NEW } from './world.ts'

let path: string
let id: string
let secret: string
beforeEach(async () => {
  path = await migratedPath()
  const by = ['--actor-id', 'u_1', '--actor-name', 'Sami']
  const created = await jsonOf('create', ...NEW, ...by, '-d', path)
  id = created.key.id
  secret = created.secret
})

const on = (...words: string[]) => miftah([...words, '-d', path, '-w', 'ws_1'])
const log = (...words: string[]) => jsonOf('events', '-d', path, '-w', 'ws_1', ...words)

const verdictOn = async (text: string) => {
  const auth = await keysAt(path).authenticateSecret(text.trim(), null)
  return auth.ok ? 'accepted' : auth.reason
}

test('create prints the secret alone on standard output', async () => {
  const actor = ['--actor-id', 'u_7', '--actor-name', 'نورة']
  const { code, out, err } = await miftah(['create', '-d', path, ...NEW, ...actor])
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^svc_live_\w{46}\n$/) })
  expect(err).toMatch(
    /^key_\S+ was created, with the scope contacts\.read\. Its secret is shown only once:\n$/,
  )
  const auth = await keysAt(path).authenticate(`Bearer ${out.trim()}`, 'contacts.read')
  expect(auth).toMatchObject({ ok: true, key: { creator: { id: 'u_7', name: 'نورة' } } })
})

describe('list', () => {
  test('shows the keys without their secrets', async () => {
    const { out } = await on('list')
    const [headings, line, ...more] = out.split('\n')
    const columns = ['id', 'prefix', 'type', 'status', 'uses', 'last used', 'name']
    expect(headings?.split(/ {2,}/)).toEqual(columns)
    expect(line).toMatch(/^key_\S+ {2}svc_live_\w{3}… {2}live {2}active {2}0 +never +CRM sync$/)
    expect(more).toEqual([''])
    expect(out).not.toContain(secret)
    expect(await jsonOf('list', '-d', path, '-w', 'ws_1', '--status', 'revoked')).toEqual([])
  })

  test('goes through all pages', async () => {
    const rows = Array.from({ length: 204 }, (_, at) => ({ name: `key ${at}` }))
    const fields = { environment: 'test', scopes: ['contacts.read'] } as const
    const keys = keysAt(path)
    for (const { name } of rows) {
      await keys.createKey({
        workspaceId: 'ws_1',
        creator: { id: 'u', name: 'u' },
        name,
        ...fields,
      })
    }
    expect(await jsonOf('list', '-d', path, '-w', 'ws_1')).toHaveLength(205)
  })
})

test('rotate prints the new secret, and the old key is dead', async () => {
  const { code, out } = await on('rotate', id)
  expect(code).toBe(0)
  expect(await verdictOn(secret)).toBe('revoked')
  expect(await verdictOn(out)).toBe('accepted')
})

test('pause and resume stop a key and let it work again, also the second time', async () => {
  for (let times = 0; times < 2; times += 1) {
    expect(await on('pause', id)).toEqual(done(`${id} is paused.\n`))
  }
  expect(await verdictOn(secret)).toBe('paused')
  expect(await on('resume', id)).toEqual(done(`${id} is active.\n`))
  expect(await verdictOn(secret)).toBe('accepted')
})

describe('revoke', () => {
  test('says when, also the second time, and nothing brings the key back', async () => {
    const first = await on('revoke', id)
    expect(first).toEqual(done(expect.stringMatching(/^key_\S+ was revoked at \d{4}-\S+Z\.\n$/)))
    expect(await on('revoke', id)).toEqual(first)
    const { out } = await on('revoke', id, '--json')
    expect(JSON.parse(out)).toMatchObject({ id, status: 'revoked' })
    for (const command of ['pause', 'resume']) {
      expect(await on(command, id)).toMatchObject({ code: 1, out: '' })
    }
    expect(await verdictOn(secret)).toBe('revoked')
  })

  test('takes a reason for the audit log', async () => {
    const words = ['revoke', id, '-d', path, '-w', 'ws_1', '--reason']
    await expectRefused([...words, 'stolen'], 'must be one of: leaked, unused, reported, exposed,')
    expect((await miftah([...words, 'unused'])).code).toBe(0)
    expect((await log()).at(-1)).toMatchObject({
      type: 'api_key.revoked',
      data: { reason: 'unused' },
    })
  })

  test('takes the keys that pass filters, and says before which they are', async () => {
    const filters = ['--creator', 'u_1', '-e', 'live', '-s', 'contacts.read']
    const dry = await on('revoke', ...filters, '--dry-run')
    expect(dry.out).toMatch(new RegExp(`^id .*\\n${id} .*\\n1 key would be revoked\\.\\n$`))
    expect(await verdictOn(secret)).toBe('accepted')
    expect((await on('revoke', ...filters, '--unused-for-days', '7')).out).toBe('0 keys revoked.\n')
    expect((await on('revoke', ...filters)).out).toMatch(/\n1 key revoked\.\n$/)
    expect(await verdictOn(secret)).toBe('revoked')
  })

  test('finds no key of another workspace', async () => {
    const words = ['revoke', id, '-d', path, '-w', 'ws_2']
    await expectRefused(words, 'There is no such key in this workspace.', { code: 1 })
  })
})

test('find reads the secret from standard input and never prints it', async () => {
  const found = await miftah(['find', '-d', path], `${secret}\n`)
  expect(found).toEqual(done(`${id} of workspace ws_1, active: CRM sync\n`))
  expect((await miftah(['find', '-d', path, '--json'], secret)).out).not.toContain(secret)
  const none = await miftah(['find', '-d', path], mintSecret('svc', 'live'))
  expect(none).toEqual({ code: 1, out: '', err: 'No key has this secret.\n' })
})

describe('events', () => {
  test('are those of the workspace, oldest first, by whom', async () => {
    await on('pause', id, '--actor-id', 'u_2', '--actor-name', 'نورة')
    const [headings, created, paused, ...more] = (await on('events')).out.split('\n')
    expect(headings?.split(/ {2,}/)).toEqual(['at', 'event', 'key', 'actor', 'name'])
    expect(created).toMatch(/^\d{4}\S+Z {2}api_key\.created {2}key_\S+ {2}u_1 \(Sami\) +CRM sync$/)
    expect(paused).toMatch(/ {2}api_key\.paused {3}key_\S+ {2}u_2 \(نورة\) +CRM sync$/)
    expect(more).toEqual([''])
    expect(await jsonOf('events', '-d', path, '-w', 'ws_2')).toEqual([])
  })

  test('of one key, through all pages', async () => {
    const keys = keysAt(path)
    const action = { workspaceId: 'ws_1', id, actor: { id: 'u', name: 'u' } }
    for (let times = 0; times < 100; times += 1) {
      await keys.pauseKey(action)
      await keys.resumeKey(action)
    }
    await on('create', ...NEW)
    expect(await log()).toHaveLength(202)
    const events = await log('--key', id)
    expect(events).toHaveLength(201)
    expect(events.at(-1)).toMatchObject({ type: 'api_key.resumed', keyId: id })
  })
})
