import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { type ApiKeysOptions, plans } from '../../../src/index.ts'
import { foreignHash } from '../../../src/secret/key-format.ts'
import { FORMAT, importInput, OLD_SECRET, sha256 } from '../../support/lifecycle/import.ts'
import { eventsOf, MINUTE_MS, verdict } from '../../support/lifecycle/world.ts'
import { findById } from '../../support/stored.ts'
import { ACTOR, action, CREATOR, openWorld, START_MS } from '../../support/world.ts'

const SECRET_OF_ANOTHER_FORMAT = '17|hT5xwz'
const PLAIN = { id: 'plain', test: (text: string) => /^\d+\|/.test(text) }

const open = (options: Partial<ApiKeysOptions> = {}) =>
  openWorld({ formats: [FORMAT, PLAIN], ...options })

describe('import', () => {
  test('an imported key works with its old secret, and is shown as what it is', async () => {
    const world = open()
    const createdAt = new Date(START_MS - MINUTE_MS)
    const row = importInput({ prefix: 'old_7f3', createdAt, metadata: { team: 'billing' } })
    const [result] = await world.keys.importKeys([row], { actor: ACTOR })
    expect(result).toEqual({ outcome: 'imported', id: expect.stringMatching(/^key_/) })
    const { keys } = await world.keys.listKeys({ workspaceId: 'ws_1' })
    expect(keys).toMatchObject([
      {
        ...{ name: 'Billing export', prefix: 'old_7f3', format: 'old', createdAt, version: 1 },
        ...{ status: 'active', metadata: { team: 'billing' }, creator: CREATOR, uses: 0 },
      },
    ])
    expect(await verdict(world, OLD_SECRET)).toBe('ok')
    expect((await world.keys.findKeyBySecret(OLD_SECRET))?.id).toBe(keys[0]?.id)
    const { events } = await world.keys.listEvents({ workspaceId: 'ws_1' })
    expect(events).toMatchObject([
      { type: 'api_key.imported', actor: ACTOR, data: { format: 'old', prefix: 'old_7f3' } },
    ])
    await world.keys.flush()
    expect((await world.keys.listKeys({ workspaceId: 'ws_1' })).keys[0]?.uses).toBe(1)
  })

  test('an import repeated writes nothing', async () => {
    const world = open()
    const rows = [importInput(), importInput({ format: 'plain', digest: SECRET_OF_ANOTHER_FORMAT })]
    const first = await world.keys.importKeys(rows, { actor: ACTOR })
    const again = await world.keys.importKeys([...rows, ...rows], { actor: ACTOR })
    const ids = first.map((row) => (row.outcome === 'imported' ? row.id : null))
    expect(again).toEqual([...ids, ...ids].map((id) => ({ outcome: 'exists', id })))
    expect(await eventsOf(world)).toEqual(['imported', 'imported'])
    expect(await verdict(world, SECRET_OF_ANOTHER_FORMAT)).toBe('ok')
  })

  test('two processes that import the same rows store each once', async () => {
    const storage = memoryStorage()
    const worlds = [open({ storage }), open({ storage }), open({ storage })]
    const rows = Array.from({ length: 20 }, (_, at) => importInput({ digest: sha256(`old_${at}`) }))
    const results = await Promise.all(
      worlds.map(({ keys }) => keys.importKeys(rows, { actor: ACTOR })),
    )
    const outcomes = results.flat().map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'imported')).toHaveLength(20)
    expect(outcomes.filter((outcome) => outcome === 'exists')).toHaveLength(40)
    expect((await worlds[0]?.keys.listKeys({ workspaceId: 'ws_1' }))?.activeKeys).toBe(20)
  })

  test('a dry run checks every row and writes nothing', async () => {
    const world = open()
    await world.keys.importKeys([importInput()], { actor: ACTOR })
    const rows = [
      importInput(),
      importInput({ digest: 'other' }),
      importInput({ digest: 'other' }),
      importInput({ digest: 'other', workspaceId: 'ws_2' }),
      importInput({ name: '' }),
    ]
    const results = await world.keys.importKeys(rows, { actor: ACTOR, dryRun: true })
    expect(results).toMatchObject([
      { outcome: 'exists', id: expect.stringMatching(/^key_/) },
      { outcome: 'imported', id: null },
      { outcome: 'exists', id: null },
      { outcome: 'invalid', issues: [{ path: ['digest'], code: 'repeated' }] },
      { outcome: 'invalid', issues: [{ path: ['name'], code: 'required' }] },
    ])
    expect(await eventsOf(world)).toEqual(['imported'])
  })

  test('imported keys pass the limit, and count towards it afterwards', async () => {
    const world = open()
    world.plan = { publicApi: true, activeKeyLimit: 2 }
    const rows = ['a', 'b', 'c'].map((digest) => importInput({ digest }))
    await world.keys.importKeys(rows, { actor: ACTOR })
    const { activeKeys } = await world.keys.listKeys({ workspaceId: 'ws_1' })
    expect(activeKeys).toBe(3)
    const { format: _format, digest: _digest, ...input } = importInput()
    await expect(world.keys.createKey(input)).rejects.toMatchObject({
      code: 'active_key_limit_reached',
      activeKeys: 3,
    })
  })

  test('the lifetime of a plan holds for imported keys', async () => {
    const world = open()
    world.plan = { ...plans.business, maxLifetimeSeconds: 3_600 }
    const latest = new Date(START_MS + 3_600_000)
    const rows = [
      importInput({ digest: 'a', createdAt: new Date(0) }),
      importInput({ digest: 'b', expiresAt: null }),
      importInput({ digest: 'c', expiresAt: new Date(latest.getTime() + 1) }),
      importInput({ digest: 'd', expiresAt: latest }),
      importInput({ digest: 'e', expiresAt: new Date(START_MS - 1) }),
    ]
    const results = await world.keys.importKeys(rows, { actor: ACTOR })
    expect(
      results.map((row) => (row.outcome === 'invalid' ? row.issues[0]?.code : row.outcome)),
    ).toEqual(['imported', 'required', 'out_of_range', 'imported', 'out_of_range'])
    const { keys } = await world.keys.listKeys({ workspaceId: 'ws_1' })
    expect(keys.map(({ expiresAt }) => expiresAt)).toEqual([latest, latest])
  })

  test('a digest of another workspace is invalid', async () => {
    const world = open()
    await world.keys.importKeys([importInput()], { actor: ACTOR })
    const theirs = importInput({ workspaceId: 'ws_2' })
    expect(await world.keys.importKeys([theirs], { actor: ACTOR })).toMatchObject([
      { outcome: 'invalid', issues: [{ path: ['digest'], code: 'repeated' }] },
    ])
    expect((await world.keys.listKeys({ workspaceId: 'ws_2' })).keys).toEqual([])
  })

  test('nothing is imported into an erased workspace', async () => {
    const world = open()
    await world.keys.importKeys([importInput({ digest: 'a' })], { actor: ACTOR })
    await world.keys.eraseWorkspace({ workspaceId: 'ws_1' })
    expect(await world.keys.importKeys([importInput()], { actor: ACTOR })).toMatchObject([
      { outcome: 'invalid', issues: [{ path: ['workspaceId'], message: 'has been erased.' }] },
    ])
    expect(await verdict(world, OLD_SECRET)).toBe('unknown')
  })

  test('neither an old hash nor a stored one is a key', async () => {
    const world = open()
    await world.keys.importKeys([importInput()], { actor: ACTOR })
    const [key] = (await world.keys.listKeys({ workspaceId: 'ws_1' })).keys
    const record = await findById(world.storage, 'ws_1', key?.id ?? '')
    const stored = record?.hash ?? ''
    for (const text of [sha256(OLD_SECRET), `old_${sha256(OLD_SECRET)}`, stored, `old_${stored}`]) {
      expect(['malformed', 'unknown']).toContain(await verdict(world, text))
    }
    expect(stored).not.toBe(sha256(OLD_SECRET))
  })

  test('rotating an imported key gives a key of miftah', async () => {
    const world = open()
    const [row] = await world.keys.importKeys([importInput()], { actor: ACTOR })
    const id = row?.outcome === 'imported' ? (row.id ?? '') : ''
    const { key, secret, replaced } = await world.keys.rotateKey({
      ...action(id),
      overlapSeconds: 60,
    })
    expect([key.format, key.prefix, replaced.format]).toEqual([null, secret.slice(0, 12), 'old'])
    expect(await verdict(world, OLD_SECRET)).toBe('ok')
    world.nowMs += MINUTE_MS
    expect([await verdict(world, OLD_SECRET), await verdict(world, secret)]).toEqual([
      'revoked',
      'ok',
    ])
  })

  test('a revoked imported key is refused, and importing it again does not bring it back', async () => {
    const world = open()
    const [row] = await world.keys.importKeys([importInput()], { actor: ACTOR })
    await world.keys.revokeKey(action(row?.outcome === 'imported' ? (row.id ?? '') : ''))
    expect(await verdict(world, OLD_SECRET)).toBe('revoked')
    const [again] = await world.keys.importKeys([importInput()], { actor: ACTOR })
    expect(again?.outcome).toBe('exists')
    expect(await verdict(world, OLD_SECRET)).toBe('revoked')
  })

  test('an external id is one key for each format and workspace', async () => {
    const world = open()
    const rows = [
      { digest: 'a', externalId: '7' },
      { digest: 'b', externalId: '7' },
      { digest: 'c', externalId: '8' },
      { digest: 'd', externalId: '7', workspaceId: 'ws_2' },
      { digest: 'e', externalId: '7', format: 'plain' },
      { digest: 'a' },
    ].map((fields) => importInput(fields))
    const dry = await world.keys.importKeys(rows, { actor: ACTOR, dryRun: true })
    const results = await world.keys.importKeys(rows, { actor: ACTOR })
    const expected = ['imported', 'exists', 'imported', 'imported', 'imported', 'exists']
    expect(dry.map(({ outcome }) => outcome)).toEqual(expected)
    expect(results.map(({ outcome }) => outcome)).toEqual(expected)
    const ids = new Set(results.map((row) => (row.outcome === 'invalid' ? null : row.id)))
    expect(ids.size).toBe(4)
    expect(await world.storage.findByHash(foreignHash('old', 'b'))).toBe(null)
  })
})
