import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKeys, plans } from '../../src/index.ts'
import { mintSecret } from '../../src/secret/mint.ts'
import { miftah } from '../support/command-line.ts'
import { freshPath, migratedPath, storageAt } from '../support/sqlite-files.ts'

let path: string
beforeEach(async () => {
  path = await migratedPath()
})

const NEW = ['-w', 'ws_1', '-n', 'CRM sync', '-e', 'live', '-s', 'contacts.read']

const keysOf = () =>
  createApiKeys({ storage: storageAt(path), entitlements: () => plans.enterprise })

const onlyKey = async () => {
  const { keys } = await keysOf().listKeys({ workspaceId: 'ws_1' })
  const [key] = keys
  if (key === undefined) throw new Error('there is no key')
  return key
}

test('migrate makes the tables, and again nothing', async () => {
  const fresh = freshPath()
  for (const _ of ['first', 'again']) {
    const ran = await miftah(['migrate', '-d', fresh])
    expect(ran).toEqual({ code: 0, out: '', err: 'The tables are up to date.\n' })
  }
})

describe('a life from the command line', () => {
  test('create prints the secret alone on standard output', async () => {
    const actor = ['--actor-id', 'u_7', '--actor-name', 'نورة']
    const { code, out, err } = await miftah(['create', '-d', path, ...NEW, ...actor])
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^svc_live_\w{46}\n$/) })
    expect(err).toMatch(
      /^key_\S+ was created, with the scope contacts\.read\. Its secret is shown only once:\n$/,
    )
    const auth = await keysOf().authenticate(`Bearer ${out.trim()}`, 'contacts.read')
    expect(auth).toMatchObject({ ok: true, key: { creator: { id: 'u_7', name: 'نورة' } } })
  })

  test('list shows the keys without their secrets', async () => {
    const { out: secret } = await miftah(['create', '-d', path, ...NEW])
    const { out } = await miftah(['list', '-d', path, '-w', 'ws_1'])
    const [headings, line, ...more] = out.split('\n')
    expect(headings?.split(/ {2,}/)).toEqual([
      ...['id', 'prefix', 'type', 'status', 'uses', 'last used', 'name'],
    ])
    expect(line).toMatch(/^key_\S+ {2}svc_live_\w{3}… {2}live {2}active {2}0 +never +CRM sync$/)
    expect(more).toEqual([''])
    expect(out).not.toContain(secret.trim())
    const revoked = await miftah([
      'list',
      '-d',
      path,
      '-w',
      'ws_1',
      '--status',
      'revoked',
      '--json',
    ])
    expect(JSON.parse(revoked.out)).toEqual([])
  })

  test('list goes through all pages', async () => {
    const keys = keysOf()
    for (let at = 0; at < 205; at += 1) {
      const fields = { name: `key ${at}`, environment: 'test', scopes: ['contacts.read'] } as const
      await keys.createKey({ workspaceId: 'ws_1', creator: { id: 'u', name: 'u' }, ...fields })
    }
    const { out } = await miftah(['list', '-d', path, '-w', 'ws_1', '--json'])
    expect(JSON.parse(out)).toHaveLength(205)
  })

  test('rotate prints the new secret, and the old key is dead', async () => {
    const { out: before } = await miftah(['create', '-d', path, ...NEW])
    const { id } = await onlyKey()
    const { code, out: after } = await miftah(['rotate', id, '-d', path, '-w', 'ws_1'])
    expect(code).toBe(0)
    const keys = keysOf()
    expect(await keys.authenticate(`Bearer ${before.trim()}`, null)).toMatchObject({ ok: false })
    expect(await keys.authenticate(`Bearer ${after.trim()}`, null)).toMatchObject({ ok: true })
  })

  test('revoke says when, also the second time', async () => {
    await miftah(['create', '-d', path, ...NEW])
    const { id } = await onlyKey()
    const first = await miftah(['revoke', id, '-d', path, '-w', 'ws_1'])
    expect(first).toMatchObject({ code: 0, err: '' })
    expect(first.out).toMatch(/^key_\S+ was revoked at \d{4}-\S+Z\.\n$/)
    expect(await miftah(['revoke', id, '-d', path, '-w', 'ws_1'])).toEqual(first)
    const asJson = await miftah(['revoke', id, '-d', path, '-w', 'ws_1', '--json'])
    expect(JSON.parse(asJson.out)).toMatchObject({ id, status: 'revoked' })
  })

  test('revoke takes a reason for the audit log', async () => {
    await miftah(['create', '-d', path, ...NEW])
    const { id } = await onlyKey()
    const words = ['revoke', id, '-d', path, '-w', 'ws_1', '--reason']
    const wrong = await miftah([...words, 'stolen'])
    expect(wrong.code).toBe(2)
    expect(wrong.err).toContain('reason: must be one of: leaked, unused, reported, exposed, other.')
    expect((await miftah([...words, 'unused'])).code).toBe(0)
    const { events } = await keysOf().listEvents({ workspaceId: 'ws_1' })
    expect(events.at(-1)).toMatchObject({ type: 'api_key.revoked', data: { reason: 'unused' } })
  })

  test('find reads the secret from standard input and never prints it', async () => {
    const created = await miftah(['create', '-d', path, ...NEW, '--json'])
    const { key, secret } = JSON.parse(created.out)
    const found = await miftah(['find', '-d', path], `${secret}\n`)
    expect(found).toEqual({
      code: 0,
      out: `${key.id} of workspace ws_1, active: CRM sync\n`,
      err: '',
    })
    expect((await miftah(['find', '-d', path, '--json'], secret)).out).not.toContain(secret)
    const none = await miftah(['find', '-d', path], mintSecret('svc', 'live'))
    expect(none).toEqual({ code: 1, out: '', err: 'No key has this secret.\n' })
  })

  test('a key of another workspace is not found', async () => {
    await miftah(['create', '-d', path, ...NEW])
    const { id } = await onlyKey()
    const { code, err } = await miftah(['revoke', id, '-d', path, '-w', 'ws_2'])
    expect({ code, err }).toEqual({
      code: 1,
      err: 'miftah: There is no such key in this workspace.\n',
    })
  })
})
