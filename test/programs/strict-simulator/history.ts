import { Random } from '../../support/random.ts'
import { LEASE_MS, SimNode, type Variant } from './sim-node.ts'
import { SimStore } from './sim-store.ts'
import { World } from './world.ts'

/** What has happened in a history. */
export interface History {
  readonly seed: number
  accepted: number
  fromMemory: number
  resolved: number
  /** Calls that began after the revocation of their key had resolved, and were accepted. */
  staleAccepts: number
}

const KEYS = ['k1', 'k2', 'k3', 'k4']
const LENGTH_MS = 3_000
const AFTER_RESTORE_MS = 2_500

/**
 * Plays one history. The same seed gives the same history. Nodes never read each other's state, so two show what more
 * would: one revokes, one is behind.
 */
export async function play(seed: number, variant: Variant = {}, nodes = 2): Promise<History> {
  const playing = new Play(seed, variant, nodes)
  await playing.run()
  return playing.history
}

class Play {
  readonly history: History
  readonly #world: World
  readonly #variant: Variant & { readonly Store: typeof SimStore }
  readonly #store: SimStore
  readonly #nodes: SimNode[]
  /** When the revocation of each key has resolved for the first time. */
  readonly #resolvedAtMs = new Map<string, number>()

  constructor(seed: number, variant: Variant, nodes: number) {
    this.history = { seed, accepted: 0, fromMemory: 0, resolved: 0, staleAccepts: 0 }
    this.#world = new World(new Random(seed))
    this.#variant = { Store: SimStore, ...variant }
    this.#store = new this.#variant.Store()
    this.#nodes = Array.from({ length: nodes }, () => this.#start())
  }

  async run(): Promise<void> {
    const { random } = this.#world
    for (let at = 0; at < this.#nodes.length; at += 1) this.#traffic(at)
    for (const hash of KEYS) {
      const atMs = random.between(200, LENGTH_MS - 1_500)
      // Some wait with another one, and share its commit.
      const others = random.chance(0.3) ? [random.pick(KEYS)] : []
      this.#world.after(atMs, () => this.#revoke(hash, ...others))
      if (random.chance(0.5)) {
        this.#world.after(atMs + random.between(0, 100), () => this.#revoke(hash))
      }
      this.#around(atMs, 20, (node) => this.#authenticate(node, hash))
      // Faults count while a revocation is under way.
      if (random.chance(0.6)) this.#around(atMs, 150, (_node, at) => this.#fault(at))
    }
    const isRestored = random.chance(0.25)
    if (isRestored) this.#restore(random.between(300, 1_200))
    else if (random.chance(0.25)) this.#replace(random.between(100, 1_200))
    await this.#world.run(LENGTH_MS + (isRestored ? AFTER_RESTORE_MS : 0))
  }

  /**
   * The database goes back to an earlier state. It is down for a lease meanwhile: it knows nothing of
   * the nodes that it has registered since, and those may have leases.
   */
  #restore(savedMs: number): void {
    const { random } = this.#world
    const restoredMs = savedMs + random.between(100, 800)
    const upMs = restoredMs + 1.01 * LEASE_MS
    this.#world.after(savedMs, () => {
      const saved = this.#store.save()
      this.#world.after(restoredMs - savedMs, () => {
        this.#store.restore(saved)
        this.#world.isDownUntil(upMs)
        for (const hash of KEYS) {
          if (this.#store.revoked.get(hash) === undefined) this.#resolvedAtMs.delete(hash)
        }
      })
    })
    this.#world.after(upMs, () => {
      for (const node of this.#nodes) if (random.chance(0.5)) node.deafen(random.between(10, 900))
    })
    // What was revoked since is alive again, and is revoked anew.
    for (const hash of KEYS) {
      this.#world.after(upMs + random.between(0, 1_500), () => this.#revoke(hash))
    }
  }

  /** The primary is frozen and replaced by a synchronous standby; it wakes, and some have not noticed. */
  #replace(frozenMs: number): void {
    const { random } = this.#world
    this.#world.after(frozenMs, () => {
      const store = new this.#variant.Store()
      store.restore(this.#store.save())
      const replaced = { store, wakesMs: frozenMs + random.between(0, 1_500) }
      for (const node of this.#nodes) {
        if (random.chance(0.5)) node.stayWith(replaced, frozenMs + random.between(500, 2_800))
      }
    })
  }

  #start(): SimNode {
    return new SimNode(this.#world, this.#store, this.#variant)
  }

  /** Something on each node, at about the same time. */
  #around(atMs: number, byMs: number, act: (node: SimNode, at: number) => void): void {
    for (let at = 0; at < this.#nodes.length; at += 1) {
      const delayMs = atMs + this.#world.random.between(-byMs, byMs)
      this.#world.after(delayMs, () => act(this.#node(at), at))
    }
  }

  #traffic(at: number): void {
    this.#world.after(this.#world.random.between(20, 80), () => {
      this.#authenticate(this.#node(at), this.#world.random.pick(KEYS))
      this.#traffic(at)
    })
  }

  #node(at: number): SimNode {
    return this.#nodes[at] as SimNode
  }

  /** A call begins when the process gets to it: a stopped one begins it when it goes on. */
  #authenticate(node: SimNode, hash: string): void {
    node.deliver(() => void this.#decide(node, hash).catch(() => {}))
  }

  async #decide(node: SimNode, hash: string): Promise<void> {
    const resolvedAtMs = this.#resolvedAtMs.get(hash)
    const found = node.cache.find(hash, () => node.read(hash))
    const key = await found
    if (key === null || key.isRevoked) return
    this.history.accepted += 1
    if (!(found instanceof Promise)) this.history.fromMemory += 1
    // Unless a restore has undone the revocation meanwhile.
    const isRevoked = resolvedAtMs !== undefined && this.#resolvedAtMs.get(hash) === resolvedAtMs
    if (isRevoked) this.history.staleAccepts += 1
  }

  #revoke(...hashes: readonly string[]): void {
    const node = this.#world.random.pick(this.#nodes)
    node.deliver(() => void this.#revokeFrom(node, hashes).catch(() => {}))
  }

  async #revokeFrom(node: SimNode, hashes: readonly string[]): Promise<void> {
    const commits = await node.call((store) => hashes.map((hash) => store.revoke(hash)))
    // The revoker's hint; some do not arrive.
    for (const other of this.#nodes) if (this.#world.random.chance(0.7)) other.hint()
    await Promise.all(hashes.map((hash, at) => this.#resolved(node, hash, commits[at] ?? 0)))
  }

  async #resolved(node: SimNode, hash: string, commit: number): Promise<void> {
    node.cache.forget(hash)
    await node.barrier.waitForAcknowledgements(node.cache.node)
    if (this.#store.revoked.get(hash) !== commit) return
    this.history.resolved += 1
    if (!this.#resolvedAtMs.has(hash)) this.#resolvedAtMs.set(hash, this.#world.nowMs)
    // At once, on all nodes: a moment later most mistakes have healed.
    for (const other of this.#nodes) this.#authenticate(other, hash)
  }

  #fault(at: number): void {
    const { random } = this.#world
    if (random.chance(0.5)) return
    const node = this.#node(at)
    random.pick([
      () => node.stop(random.between(10, 2_500)),
      () => node.stop(random.between(10, 2_500)),
      () => node.suspend(random.between(10, 2_500)),
      () => node.cut(random.between(10, 2_500)),
      () => node.setWall(random.between(-3_000, 3_000)),
      () => this.#world.isDownUntil(this.#world.nowMs + random.between(10, 1_500)),
      () => {
        node.kill()
        this.#nodes[at] = this.#start()
      },
    ])()
  }
}
