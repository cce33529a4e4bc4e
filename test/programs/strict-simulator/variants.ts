import { Barrier } from '../../../src/cache/barrier.ts'
import { type Fill, KeyCache } from '../../../src/cache/key-cache.ts'
import { Lease, type LeaseParts } from '../../../src/cache/lease.ts'
import { StrictCache } from '../../../src/cache/strict-cache.ts'
import type { Renewal } from '../../../src/storage/change-log.ts'
import type { Variant } from './history.ts'
import type { Make, SimKey } from './sim-node.ts'

type Renewed = Extract<Renewal, { readonly outcome: 'renewed' }>

class CountsFromTheAnswer extends Lease {
  protected override extend(): void {
    const { machine } = this.parts
    super.extend(machine.monotonicMs(), machine.wallMs())
  }
}

class AppliesLate extends Lease {
  protected override apply(renewal: Renewed): void {
    this.parts.machine.after(100, () => super.apply(renewal))
  }
}

class KeepsAtRegistration extends Lease {
  constructor(parts: LeaseParts) {
    super({ ...parts, onFlush: () => {} })
  }
}

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

class IgnoresTheWall extends Lease {
  constructor(parts: LeaseParts) {
    const { machine } = parts
    super({ ...parts, machine: { ...machine, wallMs: () => machine.monotonicMs() } })
  }
}

class IgnoresChanges extends KeyCache<SimKey> {
  override end({ hash }: Fill, found: SimKey | null): void {
    super.end({ hash, isDirty: false }, found)
  }
}

class RemembersChanges extends StrictCache<SimKey> {
  protected override makeKeys(): KeyCache<SimKey> {
    return new IgnoresChanges(this.parts.maxKeys)
  }
}

class ReadsWithoutLease extends StrictCache<SimKey> {
  protected override assertLease(): void {}
}

class WaitsTooShort extends Barrier {
  protected override waitMs(leaseMs: number): number {
    return leaseMs / 2
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

class NeverWaits extends Barrier {
  override async waitForAcknowledgements(): Promise<void> {}
}

function withLease(Changed: new (parts: LeaseParts) => Lease): Variant {
  class Cache extends StrictCache<SimKey> {
    protected override makeLease(parts: LeaseParts): Lease {
      return new Changed(parts)
    }
  }
  return { make: made(Cache) }
}

function made(Cache = StrictCache<SimKey>, Waits = Barrier): Make {
  return (parts) => ({ cache: new Cache(parts), barrier: new Waits(parts) })
}

const withBarrier = (Changed: typeof Barrier): Variant => ({ make: made(undefined, Changed) })

/** Mistakes that the simulator must find. */
export const VARIANTS: Readonly<Record<string, Variant>> = {
  'lease counted from the answer': withLease(CountsFromTheAnswer),
  'lease given before the changes are applied': withLease(AppliesLate),
  'acknowledged before it is applied': { store: 'acknowledges_what_it_returns' },
  'acknowledged after a restore without matching renewals': {
    store: 'acknowledges_without_matching_renewals',
  },
  'acknowledged after a restore once the row has caught up': {
    store: 'trusts_a_row_that_has_caught_up',
  },
  'kept after a restore': withLease(KeepsAfterRestore),
  'lookup remembered although the key was changed': { make: made(RemembersChanges) },
  'a read of the storage counts without a lease': { make: made(ReadsWithoutLease) },
  'machine suspended, and only the monotonic clock asked': withLease(IgnoresTheWall),
  'resolved without waiting': withBarrier(NeverWaits),
  'eviction of a node that has renewed': { store: 'evicts_blindly' },
  'registered again without forgetting': withLease(KeepsAtRegistration),
  'a change joins a wait whose nodes were read before it': withBarrier(JoinsAnyWait),
  'waits for the end of the log as it was before the change': { store: 'answers_an_old_head' },
  'wait shorter than the lease': withBarrier(WaitsTooShort),
}
