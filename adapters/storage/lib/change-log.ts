import type { ChangeLog } from '../../../src/storage/index.ts'
import { storable } from './storable.ts'

/** The same log, which refuses what a database cannot hold. */
export function storableLog(log: ChangeLog): ChangeLog {
  return {
    ...log,
    register: async (registration, call) => log.register(storable(registration), call),
    changePlan: async (workspaceId, call) => log.changePlan(storable(workspaceId), call),
  }
}
