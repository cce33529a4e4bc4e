import type { Context } from '../context.ts'
import { mintId } from '../secret/mint.ts'
import type { ChangeLog } from '../storage/change-log.ts'
import type { ReadKey } from '../storage/record.ts'
import type { LeaseFault } from './lease.ts'
import { thisMachine } from './machine.ts'
import { StrictCache } from './strict-cache.ts'

const FAULTS: Readonly<Record<LeaseFault, string>> = {
  clock_jump: 'the clocks diverged: the machine was suspended, or its time was set',
  evicted: 'this process missed its renewals and was evicted',
  restored: 'the database lost renewals: it was restored, or a failover lost commits',
}

/** The cache of these keys, or `null` without the option. */
export function openCache<S extends string>(
  context: Context<S>,
  log: ChangeLog,
): StrictCache<ReadKey<S>> | null {
  const { cache } = context.settings
  if (cache === null) return null
  return new StrictCache({
    ...cache,
    log,
    machine: thisMachine,
    newNode: () => mintId('nod'),
    onPlanChange: (workspaceId) => context.plans.drop(workspaceId ?? undefined),
    onFailedRenewal: (error) => context.report('renew', error),
    onFailedLook: (error) => void context.fault('behind', error),
    onFault: (fault) =>
      void context.fault('lease', new Error(`The lease ended: ${FAULTS[fault]}.`)),
  })
}
