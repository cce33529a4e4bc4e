import { memoryStorage } from 'miftah/memory'
import { memoryLimiter } from 'miftah/rate-limit'
import { type Bench, type SectionResult, target } from '../measure/result.ts'
import { measure, type Plan } from '../measure/rounds.ts'
import { timeTable } from '../measure/text.ts'
import { miftahContender } from './contenders.ts'
import { apiKeys, issueKeys } from './keys.ts'

const KEYS = 1_000
const PLAIN = 'default: a usage history, no limiter'
const UNTOLD = 'no usage history'
const LIMITED = 'memory limiter'

/** Never reached, so that every call is allowed and counted. */
const NO_BOUND = { limit: 1_000_000_000, windowSeconds: 1 }

/** What the usage history and a limiter add to an authentication. */
export async function section({ short }: Bench): Promise<SectionResult> {
  const plan: Plan = short
    ? { rounds: 15, sliceMs: 10, warmUpMs: 300 }
    : { rounds: 61, sliceMs: 25, warmUpMs: 1_500 }
  const sets = await Promise.all([
    issued(PLAIN, {}),
    issued(UNTOLD, { usageHistory: false }),
    issued(LIMITED, { limiter: memoryLimiter(NO_BOUND) }),
  ])
  const measurement = await measure(
    sets.map(({ contender }) => contender),
    plan,
  )
  await Promise.all(sets.map(({ keys }) => keys.close()))
  return {
    tables: [
      timeTable('One process, memory storage, 1,000 keys each', measurement, [
        UNTOLD,
        PLAIN,
        LIMITED,
      ]),
    ],
    targets: [
      target('authentication with a usage history, times without', 'at most', {
        ...{ limit: 1.05, value: measurement.ratio(PLAIN, UNTOLD).median },
      }),
      target('authentication with a memory limiter, times without', 'at most', {
        ...{ limit: 1.3, value: measurement.ratio(LIMITED, PLAIN).median },
      }),
    ],
  }
}

async function issued(name: string, options: NonNullable<Parameters<typeof apiKeys>[1]>) {
  const keys = apiKeys(memoryStorage(), options)
  const headers = (await issueKeys(keys, KEYS)).headers()
  return { keys, contender: miftahContender(name, { keys, headers }) }
}
