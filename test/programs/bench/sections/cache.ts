import { hash } from 'node:crypto'
import { type ApiKeys, createApiKeys, plans } from 'miftah'
import { memoryStorage } from 'miftah/memory'
import { postgresStorage } from 'miftah/postgres'
import type { KeyRecord } from 'miftah/storage'
import { sampleRecord } from 'miftah/testing'
import { type KnownKey, KnownKeys } from '../../../../src/authenticate/known-keys.ts'
import { KeyCache } from '../../../../src/cache/key-cache.ts'
import { RecordReader } from '../../../../src/storage/record.ts'
import { strictRounds } from '../../reliability/strict/scenario.ts'
import { type Bench, type SectionResult, type Table, target } from '../measure/result.ts'
import { type Contender, type Measurement, measure, type Plan } from '../measure/rounds.ts'
import { figure, timeTable } from '../measure/text.ts'
import { miftahContender } from './contenders.ts'
import { apiKeys, issueKeys, SCOPE, SCOPES, Texts } from './keys.ts'
import { countingServer, Database, fillDatabase, statementCounter } from './postgres-world.ts'

const KEYS = 1_000
const MEMORY = 'memory storage'
const CACHED = 'PostgreSQL with the cache'
const DIRECT = 'PostgreSQL without it'
const SIZES = [1_000, 100_000]

/** What the cache saves, what it needs, and what a revocation costs with it. */
export async function section({ short, log }: Bench): Promise<SectionResult> {
  const plan: Plan = short
    ? { rounds: 9, sliceMs: 40, warmUpMs: 500 }
    : { rounds: 31, sliceMs: 200, warmUpMs: 3_000 }
  log('authentications')
  const { measurement, statements } = await authentications(plan)
  log('index')
  const index = await indexBySize(plan)
  log('revocations')
  const revocations = await revocationTimes(short)
  const [small = 0, large = 0] = SIZES
  return {
    tables: [
      timeTable('One caller, 1,000 keys', measurement, [MEMORY, CACHED, DIRECT]),
      timeTable(
        'A hash and a lookup in the index',
        index.measurement,
        SIZES.map(nameOf),
        `A cached key takes ${figure(index.bytes)} bytes, with all that an authentication needs.`,
      ),
      revocations,
    ],
    targets: [
      target('cached authentication, times memory storage', 'at most', {
        ...{ limit: 1.5, value: measurement.ratio(CACHED, MEMORY).median },
      }),
      target('direct authentication, times a cached one', 'at least', {
        ...{ limit: 100, value: measurement.ratio(DIRECT, CACHED).median },
      }),
      target('statements for one cached authentication', 'at most', {
        ...{ limit: 0.001, value: statements, shown: statements.toFixed(6) },
      }),
      target(`lookup among ${nameOf(large)}, times ${nameOf(small)}`, 'at most', {
        ...{ limit: 3, value: index.measurement.ratio(nameOf(large), nameOf(small)).median },
      }),
      target('bytes of a cached key', 'at most', {
        ...{ limit: 1_000, value: index.bytes, shown: figure(index.bytes) },
      }),
    ],
  }
}

async function authentications(plan: Plan) {
  const server = await countingServer()
  const database = new Database(server.url(await server.createDatabase()))
  const memory = apiKeys(memoryStorage())
  const inMemory = (await issueKeys(memory, KEYS)).headers()
  const world = await fillDatabase(database, { size: KEYS, real: KEYS })
  const cached = createApiKeys({
    storage: postgresStorage(database.pool()),
    entitlements: () => plans.enterprise,
    cache: {},
  })
  try {
    await warm(cached, world.headers)
    const measurement = await measure(
      [
        miftahContender(MEMORY, { keys: memory, headers: inMemory }),
        miftahContender(CACHED, { keys: cached, headers: world.headers }),
        miftahContender(DIRECT, { keys: world.keys, headers: world.headers }),
      ],
      plan,
    )
    const count = await statementCounter(world.pool)
    const before = await count()
    const asked = 100_000
    for (let n = 0; n < asked; n += 1) {
      await cached.authenticate(world.headers.get(n % KEYS), SCOPE)
    }
    return { measurement, statements: ((await count()) - before) / asked }
  } finally {
    await cached.close()
    await world.keys.close()
    await database.close()
    await server.dispose()
  }
}

/** Until every key is in memory and the lease is there. */
async function warm(keys: ApiKeys, headers: Texts): Promise<void> {
  while (keys.stats().cache?.hasLease !== true || keys.stats().cache?.keys !== headers.count) {
    for (let n = 0; n < headers.count; n += 1) await keys.authenticate(headers.get(n), SCOPE)
  }
}

async function indexBySize(plan: Plan): Promise<{ measurement: Measurement; bytes: number }> {
  let bytes = Number.NaN
  const contenders: Contender[] = []
  const known = new KnownKeys(new RecordReader({ scopes: SCOPES }), true)
  for (const size of SIZES) {
    const secrets = new Texts(size)
    for (let n = 0; n < size; n += 1) secrets.set(n, `svc_live_${String(n).padStart(46, '0')}`)
    const before = bytesInUse()
    const index = new KeyCache<KnownKey<string>>(size)
    for (let n = 0; n < size; n += 1) {
      const record = recordOf(hash('sha256', secrets.get(n)), n)
      index.end(index.begin(record.hash), known.read(record))
    }
    bytes = (bytesInUse() - before) / size
    contenders.push(lookups(nameOf(size), secrets, index))
  }
  return { measurement: await measure(contenders, plan), bytes }
}

/** A key whose texts are its own, as a storage reads them. */
function recordOf(hashed: string, n: number): KeyRecord {
  const [id, workspaceId, person] = [`key_${hashed.slice(0, 22)}`, `ws_${n >> 3}_${n}`, `u_${n}`]
  const atMs = 1_700_000_000_000 + n
  const record = sampleRecord({
    ...{ hash: hashed, id, workspaceId, name: `Import of ${n}`, scopes: SCOPES },
    ...{ creator: { id: person, name: `Member ${n}` }, createdAtMs: atMs, updatedAtMs: atMs },
  })
  return JSON.parse(JSON.stringify(record))
}

function lookups(name: string, secrets: Texts, index: KeyCache<KnownKey<string>>): Contender {
  let inputs: readonly string[] = []
  return {
    name,
    prepare: (count) => {
      inputs = secrets.draw(count)
    },
    async run() {
      let found = 0
      for (const input of inputs) if (index.get(hash('sha256', input))) found += 1
      return found
    },
  }
}

/** Four processes on one server: all well, and one of them stopped. */
async function revocationTimes(short: boolean): Promise<Table> {
  const leaseMs = short ? 600 : 5_000
  const rows: string[][] = []
  for (const [kind, rounds] of [
    ['clean', short ? 30 : 500],
    ['stopped', short ? 5 : 30],
  ] as const) {
    const { revocations } = await strictRounds({ rounds, leaseMs, kinds: [kind] })
    const times = (revocations[kind] ?? []).toSorted((a, b) => a - b)
    const at = (share: number) =>
      figure(times[Math.floor((times.length - 1) * share)] ?? Number.NaN)
    rows.push([kind, String(rounds), at(0.5), at(0.99), at(1)])
  }
  return {
    title: `revokeKey with four processes and a lease of ${figure(leaseMs)} ms, in milliseconds`,
    head: ['', 'revocations', 'p50', 'p99', 'worst'],
    rows,
  }
}

const nameOf = (size: number) => `${figure(size)} keys`

function bytesInUse(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
