import { Barrier } from '../../../src/cache/barrier.ts'
import { type Fill, KeyCache } from '../../../src/cache/key-cache.ts'
import { Lease, type LeaseParts } from '../../../src/cache/lease.ts'
import { StrictCache } from '../../../src/cache/strict-cache.ts'
import type { Lag, LaggingNode, Renewal, RenewalRequest } from '../../../src/storage/change-log.ts'
import type { NodeRow } from '../../support/memory-log.ts'
import type { SimKey, Variant } from './sim-node.ts'
import { SimStore } from './sim-store.ts'

type Renewed = Extract<Renewal, { readonly outcome: 'renewed' }>

const withParts = (change: (parts: LeaseParts) => Partial<LeaseParts>): Variant => ({
  Leases: class extends Lease {
    constructor(parts: LeaseParts) {
      super({ ...parts, ...change(parts) })
    }
  },
})

class KeepsAfterRestore extends Lease {
  readonly #log: { isSame: boolean }

  constructor(parts: LeaseParts) {
    const log = { isSame: true }
    super({ ...parts, onFlush: () => log.isSame && parts.onFlush() })
    this.#log = log
  }

  protected override apply(renewal: Renewed): void {
    this.#log.isSame = renewal.isSameLog
    super.apply(renewal)
  }
}

class IgnoresChanges extends KeyCache<SimKey> {
  override end({ hash }: Fill, found: SimKey | null): void {
    super.end({ hash, isDirty: false }, found)
  }
}

class JoinsAnyWait extends Barrier {
  #running: Promise<void> | null = null

  override waitForAcknowledgements(own: string | null): Promise<void> {
    this.#running ??= super.waitForAcknowledgements(own).finally(() => {
      this.#running = null
    })
    return this.#running
  }
}

/** A storage that, once a renewal is carried out, acknowledges more than its node has applied. */
function acknowledging(more: (answer: Renewed, request: RenewalRequest) => number): Variant {
  return {
    Store: class extends SimStore {
      override renew(request: RenewalRequest): Renewal {
        const answer = super.renew(request)
        const row = this.nodes.get(request.node)
        if (answer.outcome === 'renewed' && row)
          row.acked = Math.max(row.acked, more(answer, request))
        return answer
      }
    },
  }
}

/** Mistakes that the simulator must find. */
export const VARIANTS: Readonly<Record<string, Variant>> = {
  'lease counted from the answer': {
    Leases: class extends Lease {
      protected override extend(): void {
        const { machine } = this.parts
        super.extend(machine.monotonicMs(), machine.wallMs())
      }
    },
  },
  'lease given before the changes are applied': {
    Leases: class extends Lease {
      protected override apply(renewal: Renewed): void {
        this.parts.machine.after(100, () => super.apply(renewal))
      }
    },
  },
  'acknowledged before it is applied': acknowledging(({ head, isSameLog }) =>
    isSameLog ? head : 0,
  ),
  'acknowledged after a restore without matching renewals': acknowledging(
    (_, { applied }) => applied ?? 0,
  ),
  'acknowledged after a restore once the row has caught up': {
    Store: class extends SimStore {
      protected override carryOut(row: NodeRow, request: RenewalRequest): boolean {
        const { since, renewal } = row
        super.carryOut(row, request)
        row.since = since
        return request.answered <= renewal
      }
    },
  },
  'kept after a restore': { Leases: KeepsAfterRestore },
  'lookup remembered although the key was changed': {
    Cache: class extends StrictCache<SimKey> {
      protected override makeKeys(): KeyCache<SimKey> {
        return new IgnoresChanges(this.parts.maxKeys)
      }
    },
  },
  'a read of the storage counts without a lease': {
    Cache: class extends StrictCache<SimKey> {
      protected override assertLease(): void {}
    },
  },
  'machine suspended, and only the monotonic clock asked': withParts(({ machine }) => ({
    machine: { ...machine, wallMs: () => machine.monotonicMs() },
  })),
  'resolved without waiting': {
    Waits: class extends Barrier {
      override async waitForAcknowledgements(): Promise<void> {}
    },
  },
  'eviction of a node that has renewed': {
    Store: class extends SimStore {
      override evict(nodes: readonly LaggingNode[]): void {
        for (const { node } of nodes) this.leave(node)
      }
    },
  },
  'registered again without forgetting': withParts(() => ({ onFlush: () => {} })),
  'a change joins a wait whose nodes were read before it': { Waits: JoinsAnyWait },
  'waits for the end of the log as it was before the change': {
    Store: class extends SimStore {
      override laggingNodes(sequence: number | null): Lag {
        return super.laggingNodes(sequence ?? this.head - 1)
      }
    },
  },
  'wait shorter than the lease': {
    Waits: class extends Barrier {
      protected override waitMs(leaseMs: number): number {
        return leaseMs / 2
      }
    },
  },
}
