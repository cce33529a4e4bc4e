import type { KeyRecord } from '../../../src/index.ts'
import { key, keys } from './answers.ts'
import type { Calls, Deadline } from './calls.ts'
import type { Readiness } from './readiness.ts'
import type { Statements } from './statements.ts'

/** How many lookups are on their way at once; the others gather for the next one. */
const ROUND_TRIPS = 2

/** After so many milliseconds without an answer a lookup no longer keeps others from being sent. */
const SLOW_MS = 250

/** How many are on their way at most when some are slow: a dead connection must not stop all. */
const MOST_ROUND_TRIPS = 8

/** The most hashes in one statement. */
const LARGEST = 512

interface Asker {
  readonly resolve: (record: KeyRecord | null) => void
  readonly reject: (error: unknown) => void
}

interface Batch {
  readonly deadline: Deadline
  readonly askers: Map<string, Asker[]>
}

/**
 * Looks keys up by hash, many callers in one round trip. A caller only ever joins a lookup that has
 * not been sent yet, so each gets an answer that was read after it asked: a revocation that was
 * answered before the question is always seen.
 */
export function lookupsOf(
  calls: Calls,
  statements: Statements,
  readiness: Readiness,
): (hash: string) => Promise<KeyRecord | null> {
  const waiting: Batch[] = []
  let running = 0
  let slow = 0
  let isGathering = false

  const run = async (batch: Batch) => {
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      slow += 1
      sendNext()
    }, SLOW_MS)
    try {
      await readiness.ensure(batch.deadline)
      settle(batch, await found(batch))
    } catch (error) {
      for (const askers of batch.askers.values()) for (const { reject } of askers) reject(error)
    } finally {
      clearTimeout(timer)
      if (isSlow) slow -= 1
      running -= 1
      sendNext()
    }
  }
  const found = async ({ askers, deadline }: Batch): Promise<readonly KeyRecord[]> => {
    const [first = '', ...others] = askers.keys()
    if (others.length > 0) {
      return keys(await calls.read(statements.findMany([first, ...others]), deadline))
    }
    const record = key(await calls.read(statements.findOne(first), deadline))
    return record === null ? [] : [record]
  }
  const sendNext = () => {
    const isFull = running >= Math.min(ROUND_TRIPS + slow, MOST_ROUND_TRIPS)
    const batch = isFull ? undefined : waiting.shift()
    if (!batch) return
    running += 1
    void run(batch)
  }
  /** Those who ask in the same turn go together; with nothing on its way there is no waiting. */
  const gather = () => {
    if (running === 0) return sendNext()
    if (isGathering) return
    isGathering = true
    afterThisTurn(() => {
      isGathering = false
      sendNext()
    })
  }
  return (hash) =>
    new Promise((resolve, reject) => {
      let batch = waiting.at(-1)
      if (!batch || batch.askers.size >= LARGEST) {
        batch = { deadline: calls.deadline(), askers: new Map() }
        waiting.push(batch)
      }
      const askers = batch.askers.get(hash)
      if (askers) askers.push({ resolve, reject })
      else batch.askers.set(hash, [{ resolve, reject }])
      gather()
    })
}

/** Node reads all sockets that have something before it comes to this; others have no such turn. */
const afterThisTurn: (work: () => void) => unknown = globalThis.setImmediate ?? queueMicrotask

function settle(batch: Batch, found: readonly KeyRecord[]): void {
  const byHash = new Map(found.map((record) => [record.hash, frozen(record)]))
  for (const [hash, askers] of batch.askers) {
    const record = byHash.get(hash) ?? null
    for (const { resolve } of askers) resolve(record)
  }
}

/** Several callers may get the same record. */
function frozen(record: KeyRecord): KeyRecord {
  Object.freeze(record.scopes)
  Object.freeze(record.creator)
  return Object.freeze(record)
}
