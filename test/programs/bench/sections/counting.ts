import { defineResources } from 'miftah'
import { memoryStorage } from 'miftah/memory'
import { type Bench, type SectionResult, target } from '../measure/result.ts'
import { measure, type Plan } from '../measure/rounds.ts'
import { timeTable } from '../measure/text.ts'
import { miftahContender } from './contenders.ts'
import { apiKeys, issueKeys } from './keys.ts'

const KEYS = 1_000
const PLAIN = 'default: a usage history'
const UNTOLD = 'no usage history'
const NAMED = 'a request that names its resource and address'
const RESTRICTED = 'the same with a restricted key'

const IDS = Array.from({ length: 100 }, (_, at) => `project_${1_000 + at}`)
const NETWORKS = Array.from({ length: 20 }, (_, at) => `203.0.${113 + at}.0/24`)

/** The last of 100 ids, from one of 256 addresses in the last of 20 networks. */
const request = () => ({
  resource: { project: IDS.at(-1) ?? '' },
  clientAddress: `203.0.132.${Math.floor(Math.random() * 256)}`,
})

/** What the usage history and the restrictions of a key add to an authentication. */
export async function section({ short }: Bench): Promise<SectionResult> {
  const plan: Plan = short
    ? { rounds: 15, sliceMs: 10, warmUpMs: 300 }
    : { rounds: 61, sliceMs: 25, warmUpMs: 1_500 }
  const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
  const restrictions = { resources: { project: IDS }, networks: NETWORKS }
  const sets = await Promise.all([
    issued(PLAIN, { options: {} }),
    issued(UNTOLD, { options: { usageHistory: false } }),
    issued(NAMED, { options: { resources }, request }),
    issued(RESTRICTED, { options: { resources }, request, restrictions }),
  ])
  const measurement = await measure(
    sets.map(({ contender }) => contender),
    plan,
  )
  await Promise.all(sets.map(({ keys }) => keys.close()))
  return {
    tables: [
      timeTable('One process, memory storage, 1,000 keys each', measurement, [
        ...[UNTOLD, PLAIN, NAMED, RESTRICTED],
      ]),
    ],
    targets: [
      target('authentication with a usage history, times without', 'at most', {
        ...{ limit: 1.05, value: measurement.ratio(PLAIN, UNTOLD).median },
      }),
      target('a restricted key, times one without restrictions', 'at most', {
        ...{ limit: 1.5, value: measurement.ratio(RESTRICTED, NAMED).median },
      }),
    ],
  }
}

interface Given {
  readonly options: NonNullable<Parameters<typeof apiKeys>[1]>
  readonly restrictions?: Parameters<typeof issueKeys>[2]
  readonly request?: typeof request
}

async function issued(name: string, { options, restrictions, ...given }: Given) {
  const keys = apiKeys(memoryStorage(), options)
  const headers = (await issueKeys(keys, KEYS, restrictions)).headers()
  return { keys, contender: miftahContender(name, { keys, headers, ...given }) }
}
