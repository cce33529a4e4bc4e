import { type ApiKeys, createApiKeys, plans } from 'miftah'
import { relayEvents } from 'miftah/events'
import { postgresStorage } from 'miftah/postgres'
import { startPostgres } from '../../../support/postgres-server.ts'
import { type Bench, type SectionResult, target } from '../measure/result.ts'
import { type Spread, spread } from '../measure/stats.ts'
import { figure, spreadText } from '../measure/text.ts'
import { BIG } from './growth-operations.ts'
import { fillPostgres } from './growth-worlds.ts'
import { SCOPE } from './keys.ts'
import { Database } from './postgres-world.ts'

const ACTOR = { id: 'u_1', name: 'نورة' }
const USED = 100_000

/** What work of one kind leaves to work of another kind on the same pool of PostgreSQL. */
export async function section({ short, log }: Bench): Promise<SectionResult> {
  const server = await startPostgres({ shared_buffers: '512MB', max_wal_size: '4GB' })
  const database = new Database(server.url(await server.createDatabase()))
  try {
    const storage = postgresStorage(database.pool())
    await storage.migrate()
    await fillPostgres(database.pool(), USED)
    // Measured under load, where the usual time of a call is too short.
    const keys = createApiKeys({
      ...{ storage, entitlements: () => plans.enterprise, storageTimeoutMs: 60_000 },
    })
    const plan = short ? { rounds: 3, ms: 700 } : { rounds: 9, ms: 2_000 }
    const shares: Row[] = []
    for (const workspaces of [32, 1]) {
      log(`authentication beside creators in ${workspaces}`)
      shares.push(...(await shared(keys, { ...plan, workspaces })))
    }
    log('revocation beside a flush')
    const revocations = await revocationsBeside(keys, storage, short ? 2 : 5)
    log('the relay beside creators')
    const relayed = await relayBeside(keys, storage, plan)
    await keys.close()
    return {
      tables: [
        {
          title: 'Side by side on one pool of ten connections',
          head: ['', 'median (quartiles)'],
          rows: [...shares, ...revocations, ...relayed].map(({ name, value }) => [
            name,
            spreadText(value),
          ]),
        },
      ],
      targets: [...shares, ...revocations, ...relayed].flatMap(({ name, value, limit, atMost }) =>
        limit === undefined
          ? []
          : [target(name, atMost ? 'at most' : 'at least', { limit, value: value.median })],
      ),
    }
  } finally {
    await database.close()
    await server.dispose()
  }
}

interface Row {
  readonly name: string
  readonly value: Spread
  readonly limit?: number
  readonly atMost?: boolean
}

interface Load {
  readonly rounds: number
  readonly ms: number
}

function create(keys: ApiKeys, workspaceId: string) {
  return keys.createKey({
    ...{ workspaceId, creator: ACTOR, name: 'New', environment: 'live', scopes: [SCOPE] },
  })
}

/** Callers that begin anew when they have their answer, until the time is over; how often each did. */
async function repeated(
  callers: number,
  endsMs: number,
  work: (caller: number) => Promise<unknown>,
) {
  let done = 0
  const call = async (_: unknown, caller: number) => {
    while (performance.now() < endsMs) {
      await work(caller)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  return done
}

/** 64 authentications and 32 creations at a time, alone and together. */
async function shared(
  keys: ApiKeys,
  { rounds, ms, workspaces }: Load & { readonly workspaces: number },
): Promise<Row[]> {
  const made = []
  for (let at = 0; at < 200; at += 1) made.push((await create(keys, `known_${at % 20}`)).secret)
  const secrets = made
  const authenticating = (endsMs: number) =>
    repeated(64, endsMs, () => {
      const secret = secrets[Math.floor(Math.random() * secrets.length)]
      return keys.authenticate(`Bearer ${secret}`, SCOPE)
    })
  const creating = (endsMs: number) =>
    repeated(32, endsMs, (caller) => create(keys, `new_${workspaces}_${caller % workspaces}`))
  const kept: { authentications: number[]; creations: number[] } = {
    authentications: [],
    creations: [],
  }
  for (let round = 0; round < rounds; round += 1) {
    const end = () => performance.now() + ms
    const authentications = await authenticating(end())
    const creations = await creating(end())
    const together = await Promise.all([authenticating(end()), creating(end())])
    kept.authentications.push(together[0] / authentications)
    kept.creations.push(together[1] / creations)
  }
  const where = workspaces === 1 ? 'one workspace' : `${workspaces} workspaces`
  return [
    {
      name: `authentications beside 32 creators in ${where}, times alone`,
      ...{ value: spread(kept.authentications), limit: 0.5 },
    },
    {
      name: `creations in ${where} beside 64 authenticating callers, times alone`,
      ...{ value: spread(kept.creations), limit: 0.55 },
    },
  ]
}

/** The 99th percentile of a revocation, alone and while the uses of 100,000 keys are written. */
async function revocationsBeside(
  keys: ApiKeys,
  storage: ReturnType<typeof postgresStorage>,
  rounds: number,
): Promise<Row[]> {
  const ids = Array.from({ length: USED }, (_, at) => `key_${at + 1}`)
  const ratios: number[] = []
  const beside: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const flush = async () => {
      // As the core flushes: a thousand keys at a time, each batch with its own number.
      for (let from = 0; from < USED; from += 1_000) {
        const uses = ids.slice(from, from + 1_000)
        await storage.addUses({
          ...{ writer: `bench_${round}`, sequence: from / 1_000 + 1 },
          uses: uses.map((id) => ({ id, uses: 1, lastUsedAtMs: Date.now() })),
        })
      }
    }
    const alone = await revocations(keys, { until: new Promise((end) => setTimeout(end, 3_000)) })
    const during = await revocations(keys, { until: flush() })
    ratios.push(during / alone)
    beside.push(during)
  }
  return [
    {
      name: 'revocation beside a flush of 100,000 keys, 99th percentile, times alone',
      ...{ value: spread(ratios), limit: 2, atMost: true },
    },
    { name: 'the same in ms', value: spread(beside) },
  ]
}

async function revocations(keys: ApiKeys, { until }: { readonly until: Promise<unknown> }) {
  const times: number[] = []
  let isOver = false
  const over = until.then(() => {
    isOver = true
  })
  while (!isOver || times.length < 100) {
    const { key } = await create(keys, BIG)
    const startMs = performance.now()
    await keys.revokeKey({ workspaceId: BIG, id: key.id, actor: ACTOR })
    times.push(performance.now() - startMs)
  }
  await over
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
}

/** Events delivered for each one that 16 creators make meanwhile. */
async function relayBeside(
  keys: ApiKeys,
  storage: ReturnType<typeof postgresStorage>,
  { rounds, ms }: Load,
): Promise<Row[]> {
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    for (let at = 0; at < 1_000; at += 1) await create(keys, `ahead_${at % 16}`)
    let delivered = 0
    const deliver = () => {
      delivered += 1
    }
    const relay = relayEvents({ storage, deliver, pollMs: 10 })
    const made = await repeated(16, performance.now() + ms, (caller) => create(keys, `r_${caller}`))
    ratios.push(delivered / made)
    await relay.stop()
  }
  return [
    {
      name: `events delivered for each one created by 16 creators, ${figure(1_000)} ahead`,
      ...{ value: spread(ratios), limit: 1 },
    },
  ]
}
