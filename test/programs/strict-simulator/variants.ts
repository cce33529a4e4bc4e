import { Barrier } from '../../../src/cache/barrier.ts'
import { type Fill, KeyCache } from '../../../src/cache/key-cache.ts'
import { Lease, type LeaseParts } from '../../../src/cache/lease.ts'
import { type ReadKey, StrictCache } from '../../../src/cache/strict-cache.ts'
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

class EndsByTimer extends Lease {
  #isOver = true

  override isValid(): boolean {
    return !this.#isOver
  }

  protected override extend(sentMs: number, sentWallMs: number): void {
    super.extend(sentMs, sentWallMs)
    const { machine, leaseMs } = this.parts
    this.#isOver = false
    machine.after(sentMs + leaseMs - machine.monotonicMs(), () => {
      this.#isOver = !super.isValid()
    })
  }
}

class KeepsAtRegistration extends Lease {
  constructor(parts: LeaseParts) {
    super({ ...parts, onFlush: () => {} })
  }
}

class ForgetsBeforeRenewal extends Lease {
  constructor(parts: LeaseParts) {
    const { log } = parts
    const renew: typeof log.renew = (request) => {
      if (request.applied === null) parts.onFlush()
      return log.renew(request)
    }
    super({ ...parts, log: { ...log, renew }, onFlush: () => {} })
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

class JoinsAnyLookup extends StrictCache<SimKey> {
  readonly #running = new Map<string, Promise<SimKey | null>>()

  override find(hash: string, read: ReadKey<SimKey>) {
    const running = this.#running.get(hash)
    if (running !== undefined) return running
    const found = super.find(hash, read)
    if (!(found instanceof Promise)) return found
    const shared = found.finally(() => this.#running.delete(hash))
    this.#running.set(hash, shared)
    return shared
  }
}

class ReadsWithoutLease extends StrictCache<SimKey> {
  protected override assertLease(): void {}
}

class PausesAfterReading extends StrictCache<SimKey> {
  declare keys: KeyCache<SimKey>

  protected override makeKeys() {
    this.keys = super.makeKeys()
    return this.keys
  }

  override find(hash: string, read: ReadKey<SimKey>) {
    const found = this.keys.get(hash)
    return found ? this.#later(found, () => super.find(hash, read)) : super.find(hash, read)
  }

  async #later(found: SimKey, otherwise: () => SimKey | null | Promise<SimKey | null>) {
    await this.parts.machine.sleep(this.parts.machine.random() * 60)
    return this.isCurrent() ? found : otherwise()
  }
}

function withLease(Changed: new (parts: LeaseParts) => Lease): Variant {
  class Cache extends StrictCache<SimKey> {
    protected override makeLease(parts: LeaseParts): Lease {
      return new Changed(parts)
    }
  }
  return { make: made(Cache) }
}

function withBarrier(Changed: typeof Barrier): Variant {
  return {
    make: (parts) => ({ cache: new StrictCache<SimKey>(parts), barrier: new Changed(parts) }),
  }
}

function withKeys(Changed: typeof KeyCache<SimKey>): Variant {
  class Cache extends StrictCache<SimKey> {
    protected override makeKeys(): KeyCache<SimKey> {
      return new Changed(this.parts.maxKeys)
    }
  }
  return { make: made(Cache) }
}

function made(Changed: typeof StrictCache<SimKey>): Make {
  return (parts) => ({ cache: new Changed(parts), barrier: new Barrier(parts) })
}

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
  'lookup remembered although the key was changed': withKeys(IgnoresChanges),
  'callers join any lookup under way': { make: made(JoinsAnyLookup) },
  'entry read, then a pause, then the lease checked': { make: made(PausesAfterReading) },
  'a read of the storage counts without a lease': { make: made(ReadsWithoutLease) },
  'lease ended by a timer': withLease(EndsByTimer),
  'machine suspended, and only the monotonic clock asked': withLease(IgnoresTheWall),
  'nodes read before the commit': { revoker: 'reads_nodes_early' },
  'resolved without waiting': withBarrier(NeverWaits),
  'second revocation resolves at once': { revoker: 'trusts_the_first_revocation' },
  'sequence taken outside the order of commits': { store: 'leaves_gaps' },
  'eviction of a node that has renewed': { store: 'evicts_blindly' },
  'registered again without forgetting': withLease(KeepsAtRegistration),
  'forgotten before the first renewal is sent, not after': withLease(ForgetsBeforeRenewal),
  'a change joins a wait whose nodes were read before it': withBarrier(JoinsAnyWait),
  'waits for the end of the log as it was before the change': { store: 'answers_an_old_head' },
  'wait shorter than the lease': withBarrier(WaitsTooShort),
}
