import { Barrier } from '../../../src/cache/barrier.ts'
import { Lease, type LeaseParts, type Machine } from '../../../src/cache/lease.ts'
import { StrictCache } from '../../../src/cache/strict-cache.ts'
import type { ChangeLog } from '../../../src/storage/change-log.ts'
import type { SimStore } from './sim-store.ts'
import type { World } from './world.ts'

/** A key as the storage answers it. */
export interface SimKey {
  readonly isRevoked: boolean
}

/** A primary that was frozen, and replaced meanwhile. */
export interface Replaced {
  readonly store: SimStore
  readonly wakesMs: number
}

/** What a history runs in place of the shipped classes: each with a mistake. */
export interface Variant {
  readonly Cache?: typeof StrictCache<SimKey>
  readonly Leases?: new (parts: LeaseParts) => Lease
  readonly Waits?: typeof Barrier
  readonly Store?: typeof SimStore
}

export const LEASE_MS = 1_000
const TIMEOUT_MS = 700
/** As the protocol allows: one part in a thousand. */
const DRIFT = 1e-3

let numbers = 0

/** A process on a machine of its own, with a network that loses, delays and repeats. */
export class SimNode {
  readonly cache: StrictCache<SimKey>
  readonly barrier: Barrier
  readonly #world: World
  readonly #store: SimStore
  readonly #rate: number
  readonly #startMs: number
  #wallOffsetMs = 0
  #suspendedMs = 0
  #isStopped = false
  #isDead = false
  #cutUntilMs = 0
  #deafUntilMs = 0
  /** The replaced primary that the node is connected to. */
  #replaced: Replaced | null = null
  #hint: (() => void) | null = null
  #postponed: (() => void)[] = []

  constructor(world: World, store: SimStore, variant: Variant) {
    const { Cache = StrictCache<SimKey>, Leases = Lease, Waits = Barrier } = variant
    this.#world = world
    this.#store = store
    this.#rate = world.random.pick([1 - DRIFT, 1, 1 + DRIFT])
    this.#startMs = world.random.between(0, 1e6)
    const parts = {
      log: this.#changeLog(),
      machine: this.#machine(),
      leaseMs: LEASE_MS,
      maxKeys: 3,
      newNode: () => {
        numbers += 1
        return `node_${numbers}`
      },
      onPlanChange: () => {},
      onFault: () => {},
      onFailedRenewal: () => {},
      onFailedLook: () => {},
      inTime: (check: () => void | Promise<void>) => check(),
    }
    class Made extends Cache {
      protected override makeLease(given: LeaseParts): Lease {
        return new Leases(given)
      }
    }
    this.cache = new Made(parts)
    this.barrier = new Waits(parts)
  }

  /** Reads a key from the storage, as a lookup of the node does. */
  read(hash: string): Promise<SimKey> {
    return this.call((store) => ({ isRevoked: store.revoked.has(hash) }), true)
  }

  /** Runs something in the process: later, if it is stopped, and never, if it is dead. */
  deliver(run: () => void): void {
    if (this.#isDead) return
    if (this.#isStopped) this.#postponed.push(run)
    else run()
  }

  hint(): void {
    this.deliver(() => this.#hint?.())
  }

  kill(): void {
    this.#isDead = true
  }

  /** As SIGSTOP does. What has come in meanwhile runs in any order. */
  stop(forMs: number): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#world.after(forMs, () => {
      this.#isStopped = false
      const postponed = this.#postponed
      this.#postponed = []
      while (postponed.length > 0) {
        const at = Math.floor(this.#world.random.next() * postponed.length)
        for (const run of postponed.splice(at, 1)) this.#world.after(0, () => this.deliver(run))
      }
    })
  }

  /**
   * As a machine that sleeps: its monotonic clock stands still, the other goes on. Nobody could notice
   * it if that one were set back as far, so a machine has one of the two faults.
   */
  suspend(forMs: number): void {
    if (this.#isStopped || this.#wallOffsetMs !== 0) return
    this.stop(forMs)
    this.#suspendedMs += forMs
  }

  setWall(byMs: number): void {
    if (this.#suspendedMs > 0) return
    this.#wallOffsetMs += byMs
  }

  /** Nothing leaves the process or reaches it. */
  cut(forMs: number): void {
    this.#cutUntilMs = this.#world.nowMs + forMs
  }

  /** Statements are carried out, and no answer arrives. */
  deafen(forMs: number): void {
    this.#deafUntilMs = this.#world.nowMs + forMs
  }

  /** Stays with a primary that was replaced, until the connection ends. */
  stayWith(replaced: Replaced, untilMs: number): void {
    this.#replaced = replaced
    this.#world.after(untilMs - this.#world.nowMs, () => {
      this.#replaced = null
    })
  }

  #machine(): Machine {
    const after = (delayMs: number, work: () => void) =>
      this.#world.after(delayMs / this.#rate, () => this.deliver(work))
    return {
      monotonicMs: () => this.#startMs + (this.#world.nowMs - this.#suspendedMs) * this.#rate,
      wallMs: () => 1.7e12 + this.#wallOffsetMs + Math.floor(this.#world.nowMs),
      random: () => this.#world.random.next(),
      after,
      sleep: (delayMs) => new Promise((resolve) => after(delayMs, resolve)),
    }
  }

  /** A statement: lost on the way there or back, late, or carried out twice. */
  call<T>(statement: (store: SimStore) => T, isRead = false): Promise<T> {
    const { random } = this.#world
    const execute = () => statement(this.#replaced?.store ?? this.#store)
    return new Promise((resolve, reject) => {
      const givenUp = this.#world.after(TIMEOUT_MS, () =>
        this.deliver(() => reject(new Error('no answer'))),
      )
      if (random.chance(0.03)) return
      const carryOut = () => {
        if (this.#isCut() || !this.#world.isUp || !this.#isAnswered(isRead)) return
        const answer = execute()
        if (random.chance(0.03)) {
          const again = () => this.#world.isUp && this.#isAnswered(isRead) && execute()
          this.#world.after(this.#delay(), again)
        }
        if (random.chance(0.03) || this.#world.nowMs < this.#deafUntilMs) return
        this.#world.after(this.#delay(), () => {
          if (this.#isCut()) return
          givenUp()
          this.deliver(() => resolve(answer))
        })
      }
      this.#world.after(this.#delay(), carryOut)
    })
  }

  #isCut(): boolean {
    return this.#world.nowMs < this.#cutUntilMs
  }

  /** A replaced primary answers reads once it has woken, and no change: no standby has that. */
  #isAnswered(isRead: boolean): boolean {
    return this.#replaced === null || (isRead && this.#world.nowMs >= this.#replaced.wakesMs)
  }

  #delay(): number {
    const { random } = this.#world
    return random.chance(0.15) ? random.between(20, 600) : random.between(0.2, 5)
  }

  #changeLog(): ChangeLog {
    return {
      register: (registration) => this.call((store) => store.register(registration)),
      renew: (request) => this.call((store) => store.renew(request)),
      laggingNodes: (sequence) => this.call((store) => store.laggingNodes(sequence), true),
      countNodes: () => Promise.reject(new Error('not simulated')),
      evict: (nodes, sequence) => this.call((store) => store.evict(nodes, sequence)),
      leave: (node) => this.call((store) => store.leave(node)),
      changePlan: () => Promise.reject(new Error('not simulated')),
      listen: (onHint) => {
        this.#hint = onHint
        return () => {
          this.#hint = null
        }
      },
    }
  }
}
