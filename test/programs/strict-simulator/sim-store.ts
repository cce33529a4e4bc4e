import { LogRows } from '../../support/memory-log.ts'

/** What a backup holds. */
type Saved = Pick<SimStore, 'revoked' | 'changes' | 'nodes'>

/** The database: keys and the log of their changes. Mistakes override one of its methods. */
export class SimStore extends LogRows {
  /** The commit that revoked each key. */
  revoked = new Map<string, number>()
  /** Goes on after a restore. */
  #commits = 0

  save(): Saved {
    const { revoked, changes, nodes } = this
    return structuredClone({ revoked, changes, nodes })
  }

  /** Forgets what was committed since. */
  restore(saved: Saved): void {
    Object.assign(this, structuredClone(saved))
  }

  /** Revokes a key, and answers the commit that did: unique, also where a restore makes sequences repeat. */
  revoke(hash: string): number {
    const before = this.revoked.get(hash)
    if (before !== undefined) return before
    this.#commits += 1
    this.revoked.set(hash, this.#commits)
    this.add({ kind: 'key', hash })
    return this.#commits
  }
}
