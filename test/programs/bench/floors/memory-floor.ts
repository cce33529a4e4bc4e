import { hash } from 'node:crypto'

interface FloorKey {
  readonly id: string
  readonly workspaceId: string
  readonly scopes: readonly string[]
  readonly revokedAtMs: number | null
  uses: number
  lastUsedAtMs: number
}

/**
 * The least that a careful hand-written check does: parse, one hash, one Map look-up, the scope,
 * one count, one promise. No checksum, no plan, no copy, no storage of any other kind.
 */
export class MemoryFloor {
  readonly #keys = new Map<string, FloorKey>()
  #minted = 0

  add(secret: string, workspaceId: string, scopes: readonly string[]): void {
    this.#minted += 1
    this.#keys.set(hash('sha256', secret), {
      id: `key_${this.#minted}`,
      workspaceId,
      scopes,
      revokedAtMs: null,
      uses: 0,
      lastUsedAtMs: 0,
    })
  }

  async authenticate(header: string, scope: string): Promise<FloorKey | null> {
    if (!header.startsWith('Bearer ')) return null
    const key = this.#keys.get(hash('sha256', header.slice(7)))
    if (key === undefined || key.revokedAtMs !== null) return null
    if (!key.scopes.includes(scope)) return null
    key.uses += 1
    key.lastUsedAtMs = Date.now()
    return key
  }

  get uses(): number {
    let uses = 0
    for (const key of this.#keys.values()) uses += key.uses
    return uses
  }
}
