import { expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { type ApiKeysOptions, type ImportKey, plans } from '../../../src/index.ts'
import { foreignHash } from '../../../src/secret/key-format.ts'
import { FORMAT, importInput, OLD_SECRET, sha256 } from '../../support/lifecycle/import.ts'
import { DAY_S, eventsOf, later, MINUTE_MS, verdict } from '../../support/lifecycle/world.ts'
import { findById } from '../../support/stored.ts'
import { ACTOR, action, CREATOR, keyInput, openWorld, refusal } from '../../support/world.ts'

const OTHER_SECRET = '17|hT5xwz'
const PLAIN = { id: 'plain', test: (text: string) => /^\d+\|/.test(text) }

function open(options: Partial<ApiKeysOptions> = {}) {
  const world = openWorld({ formats: [FORMAT, PLAIN], ...options })
  const run = (rows: readonly ImportKey[], dryRun = false) =>
    world.keys.importKeys(rows as never, { actor: ACTOR, dryRun })
  /** Imports rows and answers what each came to, and why it is invalid. */
  const outcomes = async (fields: readonly Record<string, unknown>[], dryRun = false) =>
    (await run(fields.map(importInput), dryRun)).map((row) =>
      row.outcome === 'invalid' ? (row.issues[0]?.code ?? row.outcome) : row.outcome,
    )
  /** Imports one key and answers its id. */
  const one = async (fields = {}) => {
    const [row] = await run([importInput(fields)])
    return row?.outcome === 'imported' ? (row.id ?? '') : expect.fail('it is imported')
  }
  const listed = async (workspaceId = 'ws_1') => world.keys.listKeys({ workspaceId })
  return { world, keys: world.keys, run, outcomes, one, listed }
}

test('an imported key works with its old secret, and is shown as what it is', async () => {
  const { world, keys, one, listed } = open()
  const createdAt = later(-MINUTE_MS)
  const id = await one({ prefix: 'old_7f3', createdAt, metadata: { team: 'billing' } })
  expect((await listed()).keys).toMatchObject([
    {
      ...{ id, name: 'Billing export', prefix: 'old_7f3', format: 'old', createdAt, version: 1 },
      ...{ status: 'active', metadata: { team: 'billing' }, creator: CREATOR, uses: 0 },
    },
  ])
  expect(await verdict(world, OLD_SECRET)).toBe('ok')
  expect((await keys.findKeyBySecret(OLD_SECRET))?.id).toBe(id)
  expect(world.events).toMatchObject([
    { type: 'api_key.imported', actor: ACTOR, data: { format: 'old', prefix: 'old_7f3' } },
  ])
  await keys.flush()
  expect((await listed()).keys[0]?.uses).toBe(1)
})

test('an import repeated writes nothing', async () => {
  const { world, run } = open()
  const rows = [importInput(), importInput({ format: 'plain', digest: OTHER_SECRET })]
  const first = await run(rows)
  const ids = first.map((row) => (row.outcome === 'imported' ? row.id : null))
  expect(await run([...rows, ...rows])).toEqual(
    [...ids, ...ids].map((id) => ({ outcome: 'exists', id })),
  )
  expect(await eventsOf(world)).toEqual(['imported', 'imported'])
  expect(await verdict(world, OTHER_SECRET)).toBe('ok')
})

test('processes that import the same rows at once store each once', async () => {
  const storage = memoryStorage()
  const fields = Array.from({ length: 20 }, (_, at) => ({ digest: sha256(`old_${at}`) }))
  const worlds = [open({ storage }), open({ storage }), open({ storage })]
  const results = (await Promise.all(worlds.map((world) => world.outcomes(fields)))).flat()
  expect(results.toSorted()).toEqual([...Array(40).fill('exists'), ...Array(20).fill('imported')])
  expect((await worlds[0]?.listed())?.activeKeys).toBe(20)
})

test('a dry run checks every row and writes nothing', async () => {
  const { world, one, run } = open()
  await one()
  const elsewhere = { digest: 'other', workspaceId: 'ws_2' }
  const fields = [{}, { digest: 'other' }, { digest: 'other' }, elsewhere, { name: '' }]
  expect(await run(fields.map(importInput), true)).toMatchObject([
    { outcome: 'exists', id: expect.stringMatching(/^key_/) },
    { outcome: 'imported', id: null },
    { outcome: 'exists', id: null },
    { outcome: 'invalid', issues: [{ path: ['digest'], code: 'repeated' }] },
    { outcome: 'invalid', issues: [{ path: ['name'], code: 'required' }] },
  ])
  expect(await eventsOf(world)).toEqual(['imported'])
})

test('imported keys pass the limit, and count towards it afterwards', async () => {
  const { world, keys, outcomes } = open()
  world.plan = { publicApi: true, activeKeyLimit: 2 }
  await outcomes(['a', 'b', 'c'].map((digest) => ({ digest })))
  const error = await refusal(keys.createKey(keyInput()))
  expect(error).toMatchObject({ code: 'active_key_limit_reached', activeKeys: 3 })
})

test('the lifetime of a plan holds for imported keys', async () => {
  const { world, outcomes, listed } = open()
  world.plan = { ...plans.business, maxLifetimeSeconds: DAY_S }
  const latest = later(DAY_S * 1_000)
  expect(
    await outcomes([
      { digest: 'a', createdAt: new Date(0) },
      { digest: 'b', expiresAt: null },
      { digest: 'c', expiresAt: later(DAY_S * 1_000 + 1) },
      { digest: 'd', expiresAt: latest },
      { digest: 'e', expiresAt: later(-1) },
    ]),
  ).toEqual(['imported', 'required', 'out_of_range', 'imported', 'out_of_range'])
  expect((await listed()).keys.map(({ expiresAt }) => expiresAt)).toEqual([latest, latest])
})

test('a digest of another workspace is invalid', async () => {
  const { outcomes, listed } = open()
  expect(await outcomes([{}, { workspaceId: 'ws_2' }])).toEqual(['imported', 'repeated'])
  expect((await listed('ws_2')).keys).toEqual([])
})

test('nothing is imported into an erased workspace', async () => {
  const { world, keys, one, run } = open()
  await one({ digest: 'a' })
  await keys.eraseWorkspace({ workspaceId: 'ws_1' })
  expect(await run([importInput()])).toMatchObject([
    { outcome: 'invalid', issues: [{ path: ['workspaceId'], message: 'has been erased.' }] },
  ])
  expect(await verdict(world, OLD_SECRET)).toBe('unknown')
})

test('neither an old hash nor a stored one is a key', async () => {
  const { world, one } = open()
  const hash = (await findById(world.stored, 'ws_1', await one()))?.hash ?? ''
  for (const text of [sha256(OLD_SECRET), `old_${sha256(OLD_SECRET)}`, hash, `old_${hash}`]) {
    expect(['malformed', 'unknown']).toContain(await verdict(world, text))
  }
  expect(hash).not.toBe(sha256(OLD_SECRET))
})

test('rotating an imported key gives a key of miftah', async () => {
  const { world, keys, one } = open()
  const rotation = { ...action(await one()), overlapSeconds: 60 }
  const { key, secret, replaced } = await keys.rotateKey(rotation)
  expect([key.format, key.prefix, replaced.format]).toEqual([null, secret.slice(0, 12), 'old'])
  expect(await verdict(world, OLD_SECRET)).toBe('ok')
  world.nowMs += MINUTE_MS
  expect([await verdict(world, OLD_SECRET), await verdict(world, secret)]).toEqual([
    ...['revoked', 'ok'],
  ])
})

test('a revoked imported key is refused, and importing it again does not bring it back', async () => {
  const { world, keys, one, outcomes } = open()
  await keys.revokeKey(action(await one()))
  expect(await outcomes([{}])).toEqual(['exists'])
  expect(await verdict(world, OLD_SECRET)).toBe('revoked')
})

test('an external id is one key for each format and workspace', async () => {
  const { world, run, outcomes } = open()
  const fields = [
    { digest: 'a', externalId: '7' },
    { digest: 'b', externalId: '7' },
    { digest: 'c', externalId: '8' },
    { digest: 'd', externalId: '7', workspaceId: 'ws_2' },
    { digest: 'e', externalId: '7', format: 'plain' },
    { digest: 'a' },
  ]
  const expected = ['imported', 'exists', 'imported', 'imported', 'imported', 'exists']
  expect(await outcomes(fields, true)).toEqual(expected)
  expect(await outcomes(fields)).toEqual(expected)
  const again = await run(fields.map(importInput))
  expect(new Set(again.map((row) => (row.outcome === 'exists' ? row.id : null))).size).toBe(4)
  expect(await world.stored.findByHash(foreignHash('old', 'b'))).toBe(null)
})
