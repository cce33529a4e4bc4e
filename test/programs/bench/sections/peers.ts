import { memoryStorage } from 'miftah/memory'
import { type Bench, type SectionResult, target } from '../measure/result.ts'
import { type Measurement, measure, type Plan } from '../measure/rounds.ts'
import { timeTable } from '../measure/text.ts'
import { betterAuth, type Peer, prefixedApiKey } from '../peers.ts'
import { type Counted, miftahContender, peerContender, sameCount } from './contenders.ts'
import { apiKeys, issueKeys, storedUses, Texts } from './keys.ts'

const MIFTAH = 'miftah'
const PREFIXED = 'prefixed-api-key with a Map'
const ADAPTER = '@better-auth/api-key, memory adapter'
const MAPPED = '@better-auth/api-key, Map as secondary storage, deferred updates'

/** What the peers need for a valid key in the same process. */
export async function section(bench: Bench): Promise<SectionResult> {
  const one = await compare(bench, 1)
  const thousand = await compare(bench, 1_000)
  const names = [MIFTAH, PREFIXED, MAPPED, ADAPTER]
  return {
    tables: [
      timeTable('Peers in one process, one key', one, names),
      timeTable(
        'Peers in one process, 1,000 keys',
        thousand,
        names,
        'better-auth with rate limit, logs and telemetry off. prefixed-api-key counts no uses.',
      ),
    ],
    targets: [...targets(one, '1 key', 180), ...targets(thousand, '1,000 keys', 500)],
  }
}

function targets(measurement: Measurement, keys: string, limit: number) {
  return [ADAPTER, MAPPED].map((name) =>
    target(`${name}, ${keys}, times miftah`, 'at least', {
      limit,
      value: Math.round(measurement.ratio(name, MIFTAH).median),
      shown: measurement.ratio(name, MIFTAH).median.toFixed(0),
    }),
  )
}

async function compare({ short }: Bench, count: number): Promise<Measurement> {
  const plan: Plan = short
    ? { rounds: 9, sliceMs: 15, warmUpMs: 500 }
    : { rounds: 31, sliceMs: 40, warmUpMs: 3_000 }
  const keys = apiKeys(memoryStorage())
  const ours = miftahContender(MIFTAH, { keys, headers: (await issueKeys(keys, count)).headers() })
  const others = [
    await contender(PREFIXED, await prefixedApiKey(), count),
    await contender(MAPPED, await betterAuth('map'), count),
    await contender(ADAPTER, await betterAuth('memory'), count),
  ]
  const measurement = await measure([ours, ...others.map(({ counted }) => counted)], plan)
  sameCount(ours, await storedUses(keys, count))
  for (const { counted, peer } of others) await checkState(counted, peer, count)
  await keys.close()
  return measurement
}

async function contender(name: string, peer: Peer, count: number) {
  const secrets = new Texts(count)
  for (let n = 0; n < count; n += 1) secrets.set(n, await peer.create())
  return { peer, counted: peerContender(name, secrets, (secret) => peer.verify(secret)) }
}

/** All keys are there, and the checks have left their mark on about as many as were drawn. */
async function checkState({ name, total }: Counted, peer: Peer, count: number): Promise<void> {
  const { keys, used } = await peer.stored()
  const drawn = count * (1 - (1 - 1 / count) ** total)
  if (keys !== count || used < 0.9 * drawn) {
    throw new Error(`${name}: ${keys} keys stored, ${used} of about ${drawn} used`)
  }
}
