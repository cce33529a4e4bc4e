import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiKeys } from 'miftah'
import { postgresStorage } from 'miftah/postgres'
import { sqliteStorage } from 'miftah/sqlite'
import type { KeyStorage } from 'miftah/storage'
import { testDatabase } from '../../support/postgres-database.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { ACTOR, apiKeys, SCOPE } from './keys.ts'
import { type Bench, figure, quantile, ratio, type Table, timeText } from './measure.ts'

/** Keys of a storage, of which one workspace holds all. */
interface World {
  readonly size: number
  readonly keys: ApiKeys
}

const WORKSPACE = 'ws_big'
const NEW = { workspaceId: WORKSPACE, creator: ACTOR, name: 'New', scopes: [SCOPE] } as const

const QUERY = { workspaceId: WORKSPACE } as const
const create = ({ keys }: World) => keys.createKey({ ...NEW, environment: 'live' })
type Made = Awaited<ReturnType<typeof create>>
const actionOn = ({ key }: Made) => ({ ...QUERY, id: key.id, actor: ACTOR })

/** Each operation on keys, with a new key that is made before. */
const OPERATIONS: Readonly<Record<string, (world: World, made: Made) => Promise<unknown>>> = {
  create,
  authenticate: ({ keys }, { secret }) => keys.authenticateSecret(secret, SCOPE),
  rotate: ({ keys }, made) => keys.rotateKey(actionOn(made)),
  revoke: ({ keys }, made) => keys.revokeKey(actionOn(made)),
  'list, first page': ({ keys }) => keys.listKeys(QUERY),
  'list, paused keys': ({ keys }) => keys.listKeys({ ...QUERY, status: 'paused' }),
  'first events': ({ keys }) => keys.listEvents(QUERY),
}

/** What each operation costs as one workspace grows, without statistics of the database. */
export async function section({ short, log }: Bench): Promise<readonly Table[]> {
  const sizes = short ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000]
  const rounds = short ? 15 : 61
  const tables = []
  for (const [name, open] of [
    ['PostgreSQL', onPostgres],
    ['SQLite', onSqlite],
  ] as const) {
    log(name)
    const { worlds, close } = await open(sizes)
    for (const world of worlds) await fill(world)
    const found = await measureAll(worlds, rounds)
    for (const { keys } of worlds) await keys.close()
    await close()
    const ratioOf = (times: Times, at: number) => ratio(times[at] ?? [], times[0] ?? [])
    tables.push({
      title: `${name}: one workspace, as it grows`,
      head: ['', '1,000 keys', ...sizes.slice(1).map((size) => `${figure(size)}, times that`)],
      rows: [...found].map(([operation, times]) => [
        operation,
        timeText(quantile(times[0] ?? [], 0.5)),
        ...sizes.slice(1).map((_, at) => figure(ratioOf(times, at + 1))),
      ]),
    })
  }
  return tables
}

/** Nanoseconds of an operation, a figure for each round, by the size of the world. */
type Times = readonly number[][]

/** The sizes take turns, so that a noisy moment hits all alike. */
async function measureAll(worlds: readonly World[], rounds: number) {
  const found = new Map<string, Times>()
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const times: Times = worlds.map(() => [])
    for (let round = -3; round < rounds; round += 1) {
      for (const [at, world] of worlds.entries()) {
        const made = await create(world)
        const begun = performance.now()
        await operation(world, made)
        // The first rounds warm up.
        if (round >= 0) times[at]?.push(1e6 * (performance.now() - begun))
      }
    }
    found.set(name, times)
  }
  return found
}

interface Worlds {
  readonly worlds: readonly World[]
  readonly close: () => Promise<unknown>
}

async function onPostgres(sizes: readonly number[]): Promise<Worlds> {
  // Without autovacuum there are no statistics.
  const server = await startPostgres({ autovacuum: 'off', shared_buffers: '512MB' })
  const databases = await Promise.all(sizes.map(() => testDatabase(server)))
  const worlds = databases.map((database, at) =>
    worldOf(sizes[at] ?? 0, postgresStorage(database.pool())),
  )
  const close = async () => {
    await Promise.all(databases.map((database) => database.close()))
    await server.dispose()
  }
  return { worlds, close }
}

async function onSqlite(sizes: readonly number[]): Promise<Worlds> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-growth-'))
  const worlds = sizes.map((size) => worldOf(size, sqliteStorage(join(folder, `${size}.db`))))
  return { worlds, close: async () => rmSync(folder, { recursive: true, force: true }) }
}

function worldOf(size: number, storage: KeyStorage): World {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex')
  const formats = [{ id: 'old', test: (text: string) => text.startsWith('old_'), digest }]
  return { size, keys: apiKeys(storage, { formats }) }
}

/** Takes over keys of another system, which is the quickest way to many. */
async function fill({ size, keys }: World): Promise<void> {
  const rowOf = (at: number) => ({
    ...{ ...NEW, environment: 'live' as const, format: 'old', name: `Key ${at}` },
    digest: createHash('sha256').update(`old_${at}`).digest('hex'),
  })
  for (let first = 0; first < size; first += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, at) => rowOf(first + at))
    await keys.importKeys(rows, { actor: ACTOR })
  }
}
