import type { HostCalls } from '../lib/host-calls.ts'
import type { KeyStorage, WorkspaceWrite, WriteOutcome } from '../storage/contract.ts'
import { isDefinite, lateError } from './member.ts'

/** How many calls of `write` are under way at once. Writes that come meanwhile go together. */
const MOST_CALLS = 4

const MOST_WRITES = 50

interface Waiting {
  readonly write: WorkspaceWrite
  /** An instant of `performance.now()`. */
  readonly endMs: number
  readonly resolve: (outcome: WriteOutcome) => void
  readonly reject: (error: unknown) => void
}

/** Sends writes of several workspaces together while the storage is busy. */
export class Sender {
  readonly #calls: HostCalls
  readonly #storage: KeyStorage
  readonly #waiting: Waiting[] = []
  readonly #mostKeys: number
  #underWay = 0

  /** `mostKeys`: how many keys one call takes. */
  constructor(calls: HostCalls, storage: KeyStorage, mostKeys: number) {
    this.#calls = calls
    this.#storage = storage
    this.#mostKeys = mostKeys
  }

  /** Rejects as `write` of the storage does. */
  send(write: WorkspaceWrite, endMs: number): Promise<WriteOutcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, endMs, resolve, reject })
      void this.#next()
    })
  }

  async #next(): Promise<void> {
    if (this.#underWay >= MOST_CALLS) return
    const list = this.#take()
    if (list.length === 0) return
    this.#underWay += 1
    await this.#sendAll(list)
    this.#underWay -= 1
    void this.#next()
  }

  /** The next writes whose time is not up, at most one of each workspace. */
  #take(): readonly Waiting[] {
    const list = new Map<string, Waiting>()
    const left: Waiting[] = []
    let keys = 0
    for (const one of this.#waiting.splice(0)) {
      const { workspaceId, keys: own } = one.write
      const isFull = list.size === MOST_WRITES || (keys > 0 && keys + own.length > this.#mostKeys)
      if (one.endMs <= performance.now()) one.reject(lateError())
      else if (isFull || list.has(workspaceId)) left.push(one)
      else {
        list.set(workspaceId, one)
        keys += own.length
      }
    }
    this.#waiting.push(...left)
    return [...list.values()]
  }

  async #sendAll(list: readonly Waiting[]): Promise<void> {
    const writes = list.map(({ write }) => write)
    const endMs = Math.min(...list.map((one) => one.endMs))
    try {
      const outcomes = await this.#calls.attempt(
        'write',
        (call) => this.#storage.write(writes, call),
        (answer) => checked(answer, list.length),
        Math.max(1, endMs - performance.now()),
      )
      for (const [at, one] of list.entries()) one.resolve(outcomes[at] as WriteOutcome)
    } catch (error) {
      // One text that cannot be stored, or one lock, must not fail the others.
      if (list.length > 1 && isDefinite(error)) for (const one of list) await this.#sendAll([one])
      else for (const one of list) one.reject(error)
    }
  }
}

function checked(answer: readonly WriteOutcome[], length: number): readonly WriteOutcome[] {
  const isWhole = Array.isArray(answer) && answer.length === length
  if (isWhole && answer.every(({ outcome }) => outcome === 'stored' || outcome === 'refused'))
    return answer
  throw new TypeError('The storage answered a write with an invalid outcome.')
}
