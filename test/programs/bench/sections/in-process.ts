import { memoryStorage } from 'miftah/memory'
import { MemoryFloor } from '../floors/memory-floor.ts'
import { type Bench, type SectionResult, target } from '../measure/result.ts'
import { type Measurement, measure, type Plan } from '../measure/rounds.ts'
import { timeTable } from '../measure/text.ts'
import { floorContender, miftahContender, sameCount } from './contenders.ts'
import { apiKeys, issueKeys, SCOPE, SCOPES, storedUses, Texts, workspaceOf } from './keys.ts'

const KEYS = 1_000
const FLOOR = 'hand-written floor'
const VALID = 'miftah, valid key'
const CHECKSUM = 'miftah, wrong checksum'
const GARBAGE = 'miftah, garbage'

/** A valid key beside the floor, and what is refused beside a valid key. */
export async function section({ short }: Bench): Promise<SectionResult> {
  const plan: Plan = short
    ? { rounds: 15, sliceMs: 10, warmUpMs: 300 }
    : { rounds: 61, sliceMs: 25, warmUpMs: 1_500 }
  const keys = apiKeys(memoryStorage())
  const secrets = await issueKeys(keys, KEYS)
  const headers = secrets.headers()
  const floor = new MemoryFloor()
  for (let n = 0; n < KEYS; n += 1) floor.add(secrets.get(n), workspaceOf(n), SCOPES)
  const [typos, garbage] = [withTypos(secrets).headers(), rubbish(secrets).headers()]
  await storageIsNotAsked([typos, garbage])

  const ours = miftahContender(VALID, { keys, headers })
  const theirs = floorContender(FLOOR, floor, headers)
  const measurement = await measure(
    [
      theirs,
      ours,
      miftahContender(CHECKSUM, { keys, headers: typos, accepted: 0 }),
      miftahContender(GARBAGE, { keys, headers: garbage, accepted: 0 }),
    ],
    plan,
  )
  sameCount(ours, await storedUses(keys, KEYS))
  sameCount(theirs, floor.uses)
  await keys.close()
  return report(measurement)
}

function report(measurement: Measurement): SectionResult {
  const valid = measurement.ratio(VALID, FLOOR).median
  const checksum = measurement.ratio(CHECKSUM, VALID).median
  const garbage = measurement.ratio(GARBAGE, VALID).median
  return {
    tables: [
      timeTable(
        'One process, memory storage, 1,000 keys',
        measurement,
        [FLOOR, VALID, CHECKSUM, GARBAGE],
        'Keys are drawn at random. The storage was not asked once for the last two rows.',
      ),
    ],
    targets: [
      target('valid key on memory storage, times the floor', 'at most', {
        limit: 1.7,
        value: valid,
      }),
      target('wrong checksum, times a valid key', 'at most', { limit: 0.2, value: checksum }),
      target('garbage, times a valid key', 'at most', { limit: 0.2, value: garbage }),
    ],
  }
}

/** The last character is another digit: the shape is right, the checksum is not. */
function withTypos(secrets: Texts): Texts {
  const typos = new Texts(secrets.count)
  for (let n = 0; n < secrets.count; n += 1) {
    const secret = secrets.get(n)
    typos.set(n, secret.slice(0, -1) + (secret.endsWith('7') ? '3' : '7'))
  }
  return typos
}

/** As long as a secret, and nothing like one. */
function rubbish(secrets: Texts): Texts {
  const texts = new Texts(secrets.count)
  for (let n = 0; n < secrets.count; n += 1) texts.set(n, [...secrets.get(n)].reverse().join(''))
  return texts
}

async function storageIsNotAsked(refused: readonly Texts[]): Promise<void> {
  let asked = 0
  const memory = memoryStorage()
  const findByHash = (hash: string) => {
    asked += 1
    return memory.findByHash(hash)
  }
  const watched = { ...memory, findByHash }
  const keys = apiKeys(watched)
  for (const texts of refused) {
    for (let n = 0; n < texts.count; n += 1) {
      const auth = await keys.authenticate(texts.get(n), SCOPE)
      if (auth.ok || auth.reason !== 'malformed') throw new Error('a refused key was not malformed')
    }
  }
  if (asked !== 0) throw new Error(`the storage was asked ${asked} times`)
}
