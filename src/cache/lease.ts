import { unref } from '../lib/within-time.ts'
import type { ChangeLog, LoggedChange, Renewal } from '../storage/change-log.ts'

/** What the protocol asks of the machine that it runs on. */
export interface Machine {
  /** A clock that nobody can set and that goes on while the process is stopped. */
  monotonicMs(): number
  /** The clock of the system, which goes on while the machine is suspended. */
  wallMs(): number
  /** A random number from 0 to less than 1. */
  random(): number
  /** Runs work later without keeping the process alive; returns how to cancel it. */
  after(delayMs: number, work: () => void): () => void
  /** Resolves later, and keeps the process alive until then. */
  sleep(delayMs: number): Promise<void>
}

export const thisMachine: Machine = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  random: () => Math.random(),
  after: (delayMs, work) => {
    const timer = setTimeout(work, delayMs)
    unref(timer)
    return () => clearTimeout(timer)
  },
  sleep: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
}

/** Why a lease ended before its time. */
export type LeaseFault = 'clock_jump' | 'evicted' | 'restored'

export interface LeaseParts {
  readonly log: Pick<ChangeLog, 'register' | 'renew' | 'leave' | 'listen'>
  readonly machine: Machine
  readonly leaseMs: number
  /** Makes the id of a node, unique for all time. */
  readonly newNode: () => string
  /** Called with each change, in order; must forget everything that the change concerns. */
  readonly onChange: (change: LoggedChange) => void
  /** Called when changes were missed; must forget everything. */
  readonly onFlush: () => void
  /** Called after each renewal and its changes; `isFirst` for the first one of a node. */
  readonly onRenewal: (head: number, isFirst: boolean) => void
  readonly onFault: (fault: LeaseFault) => void
  /** Called with what a renewal has thrown. */
  readonly onFailedRenewal: (error: unknown) => void
}

/** How many renewals a lease has time for: two may fail, or one may go unanswered. */
export const RENEWALS_IN_LEASE = 3

/** If the clocks disagree by less, as time servers correct them, the lease ends without a fault. */
const JUMP_MS = 1_000

type Renewed = Extract<Renewal, { readonly outcome: 'renewed' }>

/**
 * The right of this node to answer from memory. A renewal returns all changes. The node applies them first,
 * and only then extends its lease to `leaseMs` after it sent the renewal. A caller that commits a change and
 * waits that long can rely on every node having applied the change or lost its lease.
 *
 * The steps of a renewal are methods of their own, so that tests can break them one by one.
 */
export class Lease {
  protected readonly parts: LeaseParts
  /** The last change applied, or `null` before the first renewal of a node. */
  protected applied: number | null = null
  #node: string | null = null
  #isRegistered = false
  /** The number of the last renewal that was sent, and of the last one whose answer was applied. */
  #sent = 0
  #answered = 0
  #grantedMs = 0
  #grantedWallMs = 0
  #hasLease = false
  #running: Promise<void> | null = null
  #isStopped = false
  #renewsAgain = false
  #begunMs = 0
  #cancelTimer = () => {}
  #stopListening: (() => void) | null = null

  constructor(parts: LeaseParts) {
    this.parts = parts
  }

  /** The id of this node; `null` before registration and after an eviction. */
  get node(): string | null {
    return this.#node
  }

  /**
   * Whether the node may answer from memory now. It reads the clocks each time: a process that was stopped
   * runs pending requests before its timers.
   */
  isValid(): boolean {
    if (!this.#hasLease) return false
    const { machine, leaseMs } = this.parts
    const wallMs = machine.wallMs() - this.#grantedWallMs
    const elapsedMs = machine.monotonicMs() - this.#grantedMs
    if (elapsedMs < leaseMs && wallMs >= 0 && wallMs < leaseMs) return true
    this.#hasLease = false
    // The monotonic clock of Linux stops while the machine is suspended; the other one goes on.
    if (elapsedMs < leaseMs && Math.abs(wallMs - elapsedMs) > JUMP_MS) {
      this.parts.onFault('clock_jump')
    }
    return false
  }

  /** Registers this node and keeps its lease renewed, unless that is under way. */
  start(): void {
    if (this.#stopListening !== null || this.#isStopped) return
    this.#stopListening = this.parts.log.listen?.(() => this.renewNow()) ?? (() => {})
    this.renewNow()
  }

  /** Renews at once, or once more after the renewal under way. */
  renewNow(): void {
    if (this.#running !== null) this.#renewsAgain = true
    else if (!this.#isStopped) this.#running = this.#run()
  }

  /** Waits for the renewal under way, or for a new one. It may fail: see whether there is a lease. */
  async renewal(): Promise<void> {
    this.start()
    if (this.#running === null) this.renewNow()
    await this.#running
  }

  /** Ends the lease and removes the node. Rejects when the log cannot be reached. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#hasLease = false
    this.#cancelTimer()
    this.#stopListening?.()
    await this.#running
    if (this.#node !== null) await this.parts.log.leave(this.#node)
  }

  /** One renewal. Rejects when the log cannot be reached. */
  protected async renew(): Promise<void> {
    // Reports a jump of the clocks before a new lease hides it.
    this.isValid()
    this.#begunMs = this.parts.machine.monotonicMs()
    const node = await this.register()
    const { machine, log } = this.parts
    const sentWallMs = machine.wallMs()
    const sentMs = machine.monotonicMs()
    this.#sent += 1
    const position = { answered: this.#answered, applied: this.applied }
    const renewal = await log.renew({ node, renewal: this.#sent, ...position })
    if (this.#isStopped) return
    if (renewal.outcome === 'evicted') {
      this.evicted()
      return
    }
    this.apply(renewal)
    this.extend(sentMs, sentWallMs)
  }

  /** Commits before the first renewal, so a change that misses this node is in that renewal's answer. */
  protected async register(): Promise<string> {
    const { log, newNode, leaseMs } = this.parts
    this.#node ??= newNode()
    if (!this.#isRegistered) await log.register({ node: this.#node, leaseMs })
    this.#isRegistered = true
    return this.#node
  }

  /** Goes on as a new node, which has applied nothing. */
  protected evicted(): void {
    this.#hasLease = false
    this.#node = null
    this.#isRegistered = false
    this.#sent = 0
    this.#answered = 0
    this.applied = null
    this.#renewsAgain = true
    this.parts.onFault('evicted')
  }

  /** Applies what the renewal returned. An acknowledgement of it follows at once. */
  protected apply(renewal: Renewed): void {
    const { head, changes, isSameLog } = renewal
    const { applied } = this
    // Otherwise the log lacks renewals or changes: it was restored or has lost commits.
    const isKnown = isSameLog && (applied === null || head >= applied)
    if (!isKnown || applied === null || !isComplete(changes, applied, head)) this.parts.onFlush()
    else for (const change of changes) this.parts.onChange(change)
    if (!isKnown) this.parts.onFault('restored')
    if (head !== applied || !isSameLog) this.#renewsAgain = true
    this.applied = head
    this.#answered = this.#sent
    this.parts.onRenewal(head, applied === null)
  }

  /** Starts the lease when the renewal was sent, which is before the log stored it. */
  protected extend(sentMs: number, sentWallMs: number): void {
    this.#grantedMs = sentMs
    this.#grantedWallMs = sentWallMs
    this.#hasLease = true
  }

  async #run(): Promise<void> {
    this.#cancelTimer()
    try {
      do {
        this.#renewsAgain = false
        await this.renew()
      } while (this.#renewsAgain && !this.#isStopped)
    } catch (error) {
      // The next renewal tries again.
      this.parts.onFailedRenewal(error)
    }
    this.#running = null
    if (!this.#isStopped) this.#schedule()
  }

  /**
   * Jitter keeps nodes that started together from renewing together. The pause counts from when the last
   * renewal began, so an unanswered one delays the next no further.
   */
  #schedule(): void {
    const { machine, leaseMs } = this.parts
    const pauseMs = (leaseMs / RENEWALS_IN_LEASE) * (0.8 + 0.2 * machine.random())
    const delayMs = Math.max(0, this.#begunMs + pauseMs - machine.monotonicMs())
    this.#cancelTimer = machine.after(delayMs, () => this.renewNow())
  }
}

function isComplete(
  changes: readonly LoggedChange[] | null,
  applied: number,
  head: number,
): changes is readonly LoggedChange[] {
  if (changes === null || changes.length !== head - applied) return false
  return changes.every(({ sequence }, at) => sequence === applied + 1 + at)
}
