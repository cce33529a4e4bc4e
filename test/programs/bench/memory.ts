import { hash } from 'node:crypto'
import { defineResources } from 'miftah'
import { memoryStorage } from 'miftah/memory'
import { apiKeys, asksFor, betterAuth, issueKeys, SCOPE, SCOPES, storedUses } from './keys.ts'
import { asked, type Bench, measure, mustAgree, planOf, type Table, timeTable } from './measure.ts'

const FLOOR = 'hand-written floor'
const VALID = 'miftah, valid key'
const CHECKSUM = 'miftah, wrong checksum'
const GARBAGE = 'miftah, garbage'
const PEER = '@better-auth/api-key, Map as secondary storage, deferred updates'
const NAMED = 'a request that names its resource and address'
const RESTRICTED = 'the same with a restricted key'

/** A valid key beside the floor and better-auth, what is refused beside a valid key, and a restricted key. */
export async function section(bench: Bench): Promise<readonly Table[]> {
  const all = await checks(bench)
  const restricted = await restrictions(bench)
  return [
    timeTable('One process, memory, 1,000 keys', all, [VALID, FLOOR, CHECKSUM, GARBAGE, PEER]),
    timeTable('A key with 100 ids and 20 networks', restricted, [NAMED, RESTRICTED]),
  ]
}

async function checks(bench: Bench) {
  const keys = apiKeys(memoryStorage())
  const headers = await issueKeys(keys)
  const floor = new MemoryFloor(headers)
  const peer = await betterAuth(null)
  const ask = asksFor(keys)
  const contenders = [
    asked(FLOOR, headers, (header) => floor.accepts(header)),
    asked(VALID, headers, ask),
    asked(CHECKSUM, headers.map(typo), ask, { accepted: 0 }),
    asked(GARBAGE, headers.map(rubbish), ask, { accepted: 0 }),
    asked(PEER, peer.secrets, peer.verify),
  ]
  const measurement = await measure(contenders, planOf(bench, 41, 30))
  mustAgree(FLOOR, contenders[0]?.total ?? 0, floor.uses)
  mustAgree(VALID, contenders[1]?.total ?? 0, await storedUses(keys))
  await keys.close()
  return measurement
}

/** The last character is another digit: the shape is right, the checksum is not. */
const typo = (header: string) => header.slice(0, -1) + (header.endsWith('7') ? '3' : '7')

/** As long as a secret, and nothing like one. */
const rubbish = (header: string) => `Bearer ${[...header.slice(7)].reverse().join('')}`

const IDS = Array.from({ length: 100 }, (_, at) => `project_${1_000 + at}`)
const NETWORKS = Array.from({ length: 20 }, (_, at) => `203.0.${113 + at}.0/24`)

/** The last of the ids, from one of 256 addresses in the last of the networks. */
const request = () => ({
  resource: { project: IDS.at(-1) ?? '' },
  clientAddress: `203.0.132.${Math.floor(Math.random() * 256)}`,
})

async function restrictions(bench: Bench) {
  const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
  const contender = async (name: string, fields: Parameters<typeof issueKeys>[1]) => {
    const keys = apiKeys(memoryStorage(), { resources })
    return asked(name, await issueKeys(keys, fields), asksFor(keys, request))
  }
  const restricted = { resources: { project: IDS }, networks: NETWORKS }
  const contenders = [await contender(NAMED, {}), await contender(RESTRICTED, restricted)]
  return measure(contenders, planOf(bench, 41, 30))
}

/** The least that a careful hand-written check does: one hash, one look-up, the scope, one count, one promise. */
export class MemoryFloor {
  readonly #keys = new Map<string, { scopes: readonly string[]; revokedAtMs: null; uses: number }>()

  constructor(headers: readonly string[]) {
    for (const header of headers) {
      const key = { scopes: SCOPES, revokedAtMs: null, uses: 0 }
      this.#keys.set(hash('sha256', header.slice(7)), key)
    }
  }

  async accepts(header: string): Promise<boolean> {
    if (!header.startsWith('Bearer ')) return false
    const key = this.#keys.get(hash('sha256', header.slice(7)))
    if (key === undefined || key.revokedAtMs !== null || !key.scopes.includes(SCOPE)) return false
    key.uses += 1
    return true
  }

  get uses(): number {
    return [...this.#keys.values()].reduce((sum, { uses }) => sum + uses, 0)
  }
}
