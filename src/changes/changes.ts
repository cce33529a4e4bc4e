import type { HostCalls } from '../lib/host-calls.ts'
import { OutageError } from '../model/errors.ts'
import { viewAnswer } from '../storage/answers.ts'
import type { KeyStorage, WorkspaceView, WorkspaceWrite } from '../storage/contract.ts'
import { Attempt } from './attempt.ts'
import { type Change, type Changed, Draft } from './change.ts'
import { crowdedError, isDefinite, Member } from './member.ts'
import { Sender } from './sender.ts'

const MOST_WAITING = 1_000

const MOST_KEYS = 200

/** How long one write is at most, in characters of JSON; a single change may be longer. */
const LONGEST_WRITE = 1_000_000

/** How far above a limit keys are counted. */
const COUNTED_ABOVE = MOST_KEYS

/** The longest pause before a change is tried again. */
const LONGEST_PAUSE_MS = 40

interface Parts {
  readonly calls: HostCalls
  readonly storage: KeyStorage
  readonly timeoutMs: number
}

/**
 * Makes changes: reads what they are decided from, decides them, and stores what was decided if that still
 * holds. Changes of one workspace that wait in this process are decided one after another and stored
 * together.
 */
export class Changes {
  readonly #parts: Parts
  readonly #sender: Sender
  readonly #mostKeys: number
  readonly #lanes = new Map<string, Member[]>()
  #waiting = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#mostKeys = Math.min(parts.storage.batchKeys ?? MOST_KEYS, MOST_KEYS)
    this.#sender = new Sender(parts.calls, parts.storage, this.#mostKeys)
  }

  /** Rejects with what `decide` has thrown, and as an outage. */
  make<T>(change: Change<T>): Promise<Changed<T>> {
    return new Promise<Changed<T>>((resolve, reject) => {
      const { calls, timeoutMs } = this.#parts
      const fail = (error: unknown, operation = change.operation) =>
        reject(error instanceof OutageError ? error : calls.fault(operation, error))
      if (this.#waiting >= MOST_WAITING) return fail(crowdedError())
      const endMs = performance.now() + timeoutMs
      const member = new Member(change, { endMs, resolve, reject, fail })
      const lane = this.#lanes.get(change.workspaceId)
      this.#waiting += 1
      if (lane === undefined) void this.#drain(change.workspaceId, [member])
      else {
        lane.push(member)
        member.waitUntilLate()
      }
    })
  }

  async #drain(workspaceId: string, lane: Member[]): Promise<void> {
    this.#lanes.set(workspaceId, lane)
    while (lane.length > 0) await this.#together(this.#take(lane))
    this.#lanes.delete(workspaceId)
  }

  /** The first that wait, as many as fit into one write. */
  #take(lane: Member[]): readonly Member[] {
    let [size, count] = [0, 0]
    for (const { keys } of lane) {
      size += keys
      if (count > 0 && size > this.#mostKeys) break
      count += 1
    }
    const members = lane.splice(0, count)
    this.#waiting -= count
    for (const member of members) member.stopWaiting()
    return members.filter(({ isGone }) => !isGone)
  }

  /** Makes the changes of a batch. Never rejects. */
  async #together(batch: readonly Member[]): Promise<void> {
    const attempt = new Attempt(batch)
    for (let tries = 0; ; tries += 1) {
      if (tries > 1) await pause()
      attempt.dropLate()
      const { members } = attempt
      const [first] = members
      if (first === undefined) return
      const isBlank = tries === 0 && members.every(({ change }) => readsNothing(change))
      const view = isBlank
        ? BLANK
        : await this.#read(attempt).catch((error: unknown) => {
            attempt.fail(error, 'read')
            return null
          })
      if (view === null) continue
      if (attempt.wasStored(view))
        return attempt.finish({ isLogged: this.#parts.storage.changes !== undefined })
      if (attempt.isTooLarge) return this.#halves(members)
      const write = this.#decide(view, members)
      if (write === null) return attempt.finish(null)
      if (members.length > 1 && JSON.stringify(write).length > LONGEST_WRITE)
        return this.#halves(members)
      const outcome = await this.#send(write, attempt)
      if (outcome === null) continue
      if (outcome.outcome === 'stored')
        return attempt.finish({ isLogged: outcome.isLogged === true })
      attempt.refuse(view)
    }
  }

  /** Smaller batches meet fewer changes of others, and what fails a batch then fails alone. */
  async #halves(members: readonly Member[]): Promise<void> {
    const middle = Math.ceil(members.length / 2)
    await this.#together(members.slice(0, middle))
    await this.#together(members.slice(middle))
  }

  async #read({ members, sent, endMs }: Attempt): Promise<WorkspaceView> {
    const { calls, storage } = this.#parts
    const { workspaceId } = (members[0] as Member).change
    const limits = members.flatMap(({ change: { limit } }) => limit ?? [])
    const query = {
      workspaceId,
      ids: [...new Set(members.flatMap(({ change }) => change.ids))],
      eventIds: sent?.events.map(({ id }) => id) ?? [],
      countAtMs: limits.length > 0 ? calls.clockMs() : null,
      countUpTo: limits.length > 0 ? Math.max(...limits) + COUNTED_ABOVE : null,
    }
    return calls.attempt(
      'read',
      (call) => storage.read(query, call),
      (answer) => viewAnswer(answer, query),
      endMs - performance.now(),
    )
  }

  #decide(view: WorkspaceView, members: readonly Member[]): WorkspaceWrite | null {
    const draft = new Draft(view)
    for (const member of members) {
      member.decide(() => {
        draft.atMs = this.#parts.calls.clockMs()
        const decision = member.change.decide(draft)
        if (decision.step !== null) draft.add(decision.step)
        return decision
      })
    }
    return draft.writeOf((members[0] as Member).change.workspaceId)
  }

  /** Sends a write, and while nobody knows what became of it, only this one again. `null`: nothing is stored. */
  async #send(write: WorkspaceWrite, attempt: Attempt) {
    attempt.sent = write
    for (;;) {
      try {
        return await this.#sender.send(write, attempt.endMs)
      } catch (error) {
        if (!attempt.isOpen && isDefinite(error)) {
          attempt.fail(error)
          return null
        }
        if (!attempt.isOpen) attempt.error = error
        attempt.isOpen = true
        attempt.dropLate()
        if (attempt.members.length === 0) return null
        await pause()
      }
    }
  }
}

/** What a change is decided from that reads nothing: the write is refused where the workspace is erased. */
const BLANK: WorkspaceView = Object.freeze({
  ...{ isErased: false, added: 0, keys: [], eventIds: [] },
  ...{ activeKeys: null, retiringKeys: null },
})

function readsNothing({ ids, limit = null }: Change<unknown>): boolean {
  return ids.length === 0 && limit === null
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE_MS))
}
