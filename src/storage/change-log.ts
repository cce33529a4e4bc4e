import type { StorageCall } from '../lib/within-time.ts'

/** An entry of the log: what a node must forget before it acknowledges `sequence`. */
export type LoggedChange = {
  /** The place of the entry, without gaps, in the order of the commits. */
  readonly sequence: number
} & (
  | {
      /** A key was changed. */
      readonly kind: 'key'
      /** The hash of the key, as in its record. */
      readonly hash: string
    }
  | {
      /** The plan of a workspace was changed. */
      readonly kind: 'plan'
      /** The workspace, or `null` for all of them. */
      readonly workspaceId: string | null
    }
  | {
      /** More was changed than the log lists: a node forgets everything. */
      readonly kind: 'everything'
    }
)

/** A process that answers from memory. One process is a new node after each start and eviction. */
export interface NodeRegistration {
  /** Unique for all time. */
  readonly node: string
  /** How long each of its leases lasts on its own clock, in milliseconds. */
  readonly leaseMs: number
}

/** What a node asks for with each renewal. */
export interface RenewalRequest {
  /** The node, as registered. */
  readonly node: string
  /** The number of this renewal: from 1, and each that a node sends has a higher one. */
  readonly renewal: number
  /** The renewal whose answer it has applied last, or 0 before the first. */
  readonly answered: number
  /** The last entry that it has applied, or `null` if it has applied none since it registered. */
  readonly applied: number | null
}

/** The answer to a renewal. */
export type Renewal =
  | {
      /** The node is not registered, or not any more. */
      readonly outcome: 'evicted'
    }
  | {
      /** The renewal is stored, and so is its acknowledgement, if this is the same log. */
      readonly outcome: 'renewed'
      /**
       * Whether this log has carried out the renewal `answered`. Otherwise it was restored or has lost
       * commits: nothing is acknowledged, and the node must forget everything.
       */
      readonly isSameLog: boolean
      /** The last entry of the log. */
      readonly head: number
      /** All entries after `applied`, in order; `null` where the log does not go back that far. */
      readonly changes: readonly LoggedChange[] | null
    }

/** A node that has not acknowledged an entry. */
export interface LaggingNode extends NodeRegistration {
  /** Its renewal with the highest number, or 0. */
  readonly renewal: number
}

/** The nodes that have not acknowledged an entry. */
export interface Lag {
  /** The entry that was looked for; the last of the log where none was given. */
  readonly head: number
  /** The nodes. */
  readonly nodes: readonly LaggingNode[]
}

/** The nodes in figures, for people. */
export interface NodeCount {
  /** How many are registered. */
  readonly nodes: number
  /** How many entries the slowest of them has not acknowledged; 0 without nodes. */
  readonly lag: number
}

/**
 * What a storage adds so that nodes can answer from memory and a revocation still reaches all of them. Every
 * change of a key adds an entry in the same atomic step, also a change made by hand, once a node has ever
 * been registered. Each method is one atomic step on the primary, durable when it answers.
 */
export interface ChangeLog {
  /** Stores a node that has acknowledged nothing. A repeat changes nothing. */
  register(registration: NodeRegistration, call?: StorageCall): Promise<void>

  /**
   * Stores a renewal and returns the entries after `applied`. `applied` is acknowledged if this log has
   * carried out the renewal `answered`: after a restore the node may have applied entries that the log does
   * not have. The log is read after everything that was committed before the renewal. It must cost the same
   * at any number of nodes.
   */
  renew(request: RenewalRequest, call?: StorageCall): Promise<Renewal>

  /**
   * The registered nodes that have not acknowledged `sequence`; with `null`, the last entry of the log, which
   * is read in the same statement. It sees every write that was answered before the call began.
   */
  laggingNodes(sequence: number | null, call?: StorageCall): Promise<Lag>

  /** How many nodes are registered, and the lag of the slowest. */
  countNodes(call?: StorageCall): Promise<NodeCount>

  /** Removes each node that has neither renewed since it was read nor acknowledged `sequence`. */
  evict(nodes: readonly LaggingNode[], sequence: number, call?: StorageCall): Promise<void>

  /** Removes a node that has stopped answering from memory. */
  leave(node: string, call?: StorageCall): Promise<void>

  /** Adds an entry for the plan of a workspace, or of all (`null`). */
  changePlan(workspaceId: string | null, call?: StorageCall): Promise<void>

  /**
   * The hashes of the keys that were used last, at most `limit`, read along an index; how recent a use is
   * needs to be known by the hour only. Without it there is no warm start.
   */
  recentHashes?(limit: number, call?: StorageCall): Promise<readonly string[]>

  /** Asks all nodes to renew now. It may fail: a lost hint costs time, never safety. */
  wake?(call?: StorageCall): Promise<void>

  /** Calls `onHint` for each `wake`; returns how to stop. It may miss some, or call without a cause. */
  listen?(onHint: () => void): () => void
}
