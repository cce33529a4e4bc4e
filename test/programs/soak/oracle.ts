import { type ApiKey, type ApiKeys, type KeyList, OutageError } from '../../../src/index.ts'

/** A key as the oracle knows it. `secret` is `null` when the answer with it was lost. */
interface Known {
  readonly secret: string | null
  isActive: boolean
  uses: number
}

const ACTOR = { id: 'u_1', name: 'نورة' }

/**
 * Changes the keys of one workspace at random, which nobody else changes, and knows what has to be
 * stored. A call that fails is asked about until what became of it is known.
 */
export class Oracle {
  readonly workspaceId: string
  readonly failures: string[] = []
  readonly counts = { changes: 0, authentications: 0, outages: 0 }
  readonly #keys: ApiKeys
  readonly #known = new Map<string, Known>()

  constructor(keys: ApiKeys, workspaceId: string) {
    this.#keys = keys
    this.workspaceId = workspaceId
  }

  /** One random operation. */
  async step(): Promise<void> {
    const ids = [...this.#known.keys()]
    // Mostly young keys, or nearly all would be revoked.
    const id = ids[ids.length - 1 - Math.floor(Math.random() ** 2 * Math.min(ids.length, 30))]
    const draw = Math.random()
    if (id === undefined || draw < 0.1) return this.#create()
    if (draw < 0.15) return this.#rotate(id)
    if (draw < 0.2) return this.#revoke(id)
    return this.#authenticate(id)
  }

  /** Compares what is stored with what is known. Uses have been flushed before. */
  async check(): Promise<void> {
    const stored = await this.#stored()
    this.#expect(stored.size, this.#known.size, 'the number of keys')
    for (const [id, { isActive, uses }] of this.#known) {
      const key = stored.get(id)
      this.#expect(key?.status, isActive ? 'active' : 'revoked', `the status of ${id}`)
      this.#expect(key?.uses, uses, `the uses of ${id}`)
    }
    const { activeKeys } = await this.#keys.listKeys({ workspaceId: this.workspaceId })
    const active = [...this.#known.values()].filter(({ isActive }) => isActive).length
    this.#expect(activeKeys, active, 'the number of active keys')
  }

  async #create(): Promise<void> {
    const name = `Key ${this.#known.size} ${Math.random()}`
    const { workspaceId } = this
    const input = { workspaceId, creator: ACTOR, name, environment: 'live' as const }
    const made = await this.#tried(() =>
      this.#keys.createKey({ ...input, scopes: ['contacts.read'] }),
    )
    if (made !== null) this.#learn(made.key.id, made.secret)
    else {
      const found = await this.#found((key) => key.name === name)
      if (found) this.#learn(found.id, null)
    }
  }

  async #rotate(id: string): Promise<void> {
    const known = this.#known.get(id)
    if (known === undefined || !known.isActive) return
    const made = await this.#tried(() => this.#keys.rotateKey(this.#action(id)))
    const replacementId = made?.key.id ?? (await this.#found((key) => key.replaces === id))?.id
    if (replacementId === undefined) return
    known.isActive = false
    this.#learn(replacementId, made?.secret ?? null)
  }

  async #revoke(id: string): Promise<void> {
    const known = this.#known.get(id)
    for (let done = null; done === null; ) {
      done = await this.#tried(() => this.#keys.revokeKey(this.#action(id)))
    }
    if (known) known.isActive = false
  }

  async #authenticate(id: string): Promise<void> {
    const known = this.#known.get(id)
    if (known === undefined || known.secret === null) return
    const header = `Bearer ${known.secret}`
    const verdict = await this.#tried(() => this.#keys.authenticate(header, 'contacts.read'))
    if (verdict === null) return
    this.counts.authentications += 1
    this.#expect(verdict.ok, known.isActive, `whether ${id} is accepted`)
    if (verdict.ok) known.uses += 1
  }

  #action(id: string) {
    return { workspaceId: this.workspaceId, id, actor: ACTOR }
  }

  #learn(id: string, secret: string | null): void {
    this.counts.changes += 1
    this.#known.set(id, { secret, isActive: true, uses: 0 })
  }

  /** The key that a lost change has made, if it has. */
  async #found(fits: (key: ApiKey) => boolean): Promise<ApiKey | undefined> {
    return [...(await this.#stored()).values()].find(fits)
  }

  /** All keys of the workspace, however long the storage is away. */
  async #stored(): Promise<ReadonlyMap<string, ApiKey>> {
    const found = new Map<string, ApiKey>()
    let cursor: string | null | undefined
    while (cursor !== null) {
      const query = { workspaceId: this.workspaceId, cursor, limit: 200 }
      const page: KeyList | null = await this.#tried(() => this.#keys.listKeys(query))
      for (const key of page?.keys ?? []) found.set(key.id, key)
      if (page !== null) cursor = page.nextCursor
    }
    return found
  }

  /** What the call answers, or `null` when the storage failed. */
  async #tried<T>(call: () => Promise<T>): Promise<T | null> {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof OutageError)) throw error
      this.counts.outages += 1
      await new Promise((resolve) => setTimeout(resolve, 100))
      return null
    }
  }

  #expect(actual: unknown, expected: unknown, what: string): void {
    if (actual === expected || this.failures.length >= 20) return
    this.failures.push(`${this.workspaceId}: ${what} is ${actual}, expected ${expected}`)
  }
}
