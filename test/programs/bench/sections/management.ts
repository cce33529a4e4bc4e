import type { ApiKeys } from 'miftah'
import { memoryStorage } from 'miftah/memory'
import { postgresStorage } from 'miftah/postgres'
import type { Bench, SectionResult } from '../measure/result.ts'
import { type Contender, measure, type Plan } from '../measure/rounds.ts'
import { timeTable } from '../measure/text.ts'
import { betterAuth, type Peer, prefixedApiKey } from '../peers.ts'
import { repeating } from './contenders.ts'
import { apiKeys, SCOPES } from './keys.ts'
import { countingServer, Database } from './postgres-world.ts'

const BETTER_AUTH = '@better-auth/api-key'
const PREFIXED = 'prefixed-api-key with a Map'

/** Creating keys, and listing those of a workspace. */
export async function section({ short }: Bench): Promise<SectionResult> {
  const plan: Plan = short
    ? { rounds: 7, sliceMs: 30, warmUpMs: 500 }
    : { rounds: 21, sliceMs: 80, warmUpMs: 2_000 }
  const server = await countingServer()
  const database = new Database(server.url(await server.createDatabase()))
  try {
    return {
      tables: [...(await onMemory(plan)), ...(await onPostgres(plan, database))],
      targets: [],
    }
  } finally {
    await database.close()
    await server.dispose()
  }
}

async function onMemory(plan: Plan) {
  const names = ['miftah', PREFIXED, BETTER_AUTH]
  const measurement = await measure(
    [
      creating('miftah', apiKeys(memoryStorage())),
      peerCreating(PREFIXED, await prefixedApiKey()),
      peerCreating(BETTER_AUTH, await betterAuth('memory')),
    ],
    plan,
  )
  const note =
    'miftah checks the input, holds the limit and writes an audit event; the others do none of it.'
  return [
    timeTable('Creating a key in memory', measurement, names, note),
    await listing('Listing 50 of 1,000 keys in memory', apiKeys(memoryStorage()), plan),
  ]
}

async function onPostgres(plan: Plan, database: Database) {
  const keys = apiKeys(postgresStorage(database.pool()))
  const measurement = await measure(
    [creating('miftah', keys), peerCreating(BETTER_AUTH, await betterAuth(database.pool()))],
    plan,
  )
  return [
    timeTable('Creating a key on PostgreSQL, one at a time', measurement, ['miftah', BETTER_AUTH]),
    await listing('Listing 50 of 1,000 keys on PostgreSQL', keys, plan),
  ]
}

let workspaces = 0

/** A workspace for every ten keys, as elsewhere. */
function creating(name: string, keys: ApiKeys): Contender {
  return repeating(name, async (n) => {
    if (n % 10 === 0) workspaces += 1
    return (await create(keys, `ws_new_${workspaces}`)).secret !== ''
  })
}

function create(keys: ApiKeys, workspaceId: string) {
  return keys.createKey({
    workspaceId,
    creator: { id: 'u_1', name: 'نورة' },
    name: 'CRM sync',
    environment: 'live',
    scopes: [...SCOPES],
  })
}

function peerCreating(name: string, peer: Peer): Contender {
  return repeating(name, async () => (await peer.create()) !== '')
}

async function listing(title: string, keys: ApiKeys, plan: Plan) {
  for (let n = 0; n < 1_000; n += 1) await create(keys, 'ws_large')
  const { nextCursor } = await keys.listKeys({ workspaceId: 'ws_large', limit: 200 })
  const measurement = await measure(
    [paging('first page', keys, null), paging('a page in the middle', keys, nextCursor)],
    plan,
  )
  return timeTable(title, measurement, ['first page', 'a page in the middle'])
}

function paging(name: string, keys: ApiKeys, cursor: string | null): Contender {
  return repeating(name, async () => {
    const page = await keys.listKeys({ workspaceId: 'ws_large', cursor })
    return page.keys.length === 50 && page.activeKeys === 1_000
  })
}
