import { memoryStorage } from 'miftah/memory'
import { MemoryFloor } from '../floors/memory-floor.ts'
import { type Bench, type SectionResult, target } from '../measure/result.ts'
import { measure, type Plan } from '../measure/rounds.ts'
import { figure, timeTable } from '../measure/text.ts'
import { type Counted, floorContender, miftahContender, sameCount } from './contenders.ts'
import { apiKeys, issueKeys, SCOPE, SCOPES, storedUses, type Texts, workspaceOf } from './keys.ts'

const SIZES = [1_000, 10_000, 100_000, 1_000_000]

/** What a growing number of keys costs in time and in memory. */
export async function section({ short, log }: Bench): Promise<SectionResult> {
  const plan: Plan = short
    ? { rounds: 9, sliceMs: 15, warmUpMs: 500 }
    : { rounds: 31, sliceMs: 40, warmUpMs: 2_000 }
  const sizes = short ? SIZES.slice(0, 3) : SIZES
  const filled: Filled[] = []
  for (const size of sizes) {
    log(`${size} keys`)
    filled.push(await fill(size))
  }
  const measurement = await measure(
    filled.flatMap(({ ours, floor }) => [ours, floor]),
    plan,
  )
  for (const { check } of filled) await check()
  const [small = 0, large = 0] = [sizes[0], sizes.at(-1)]
  return {
    tables: [
      timeTable('memory storage by number of keys', measurement, sizes.map(nameOf)),
      timeTable('the floor, a Map by hex text, by number of keys', measurement, sizes.map(floorOf)),
      {
        title: 'memory for each key, its audit event and its place in the relay’s queue included',
        head: ['keys', 'bytes of heap for each key'],
        rows: filled.map(({ size, bytes }) => [figure(size), figure(bytes)]),
      },
    ],
    targets: [
      target(`memory storage, ${nameOf(large)}, times ${nameOf(small)}`, 'at most', {
        limit: 2.5,
        value: measurement.ratio(nameOf(large), nameOf(small)).median,
      }),
    ],
  }
}

interface Filled {
  readonly size: number
  readonly bytes: number
  readonly ours: Counted
  readonly floor: Counted
  readonly check: () => Promise<void>
}

const nameOf = (size: number) => `miftah, ${figure(size)} keys`
const floorOf = (size: number) => `floor, ${figure(size)} keys`

async function fill(size: number): Promise<Filled> {
  const keys = apiKeys(memoryStorage())
  const before = heapBytes()
  const secrets = await issueKeys(keys, size)
  const bytes = (heapBytes() - before) / size
  const headers = secrets.headers()
  const floor = floorWith(secrets)
  const ours = miftahContender(nameOf(size), { keys, headers })
  // The first request of a key makes what the others find.
  for (let n = 0; n < size; n += 1) await keys.authenticate(headers.get(n), SCOPE)
  ours.total = size
  const theirs = floorContender(floorOf(size), floor, headers)
  const check = async () => {
    sameCount(ours, await storedUses(keys, size))
    sameCount(theirs, floor.uses)
  }
  return { size, bytes, ours, floor: theirs, check }
}

function floorWith(secrets: Texts): MemoryFloor {
  const floor = new MemoryFloor()
  for (let n = 0; n < secrets.count; n += 1) floor.add(secrets.get(n), workspaceOf(n), SCOPES)
  return floor
}

function heapBytes(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
