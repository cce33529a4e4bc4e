import type { Changes } from './changes/changes.ts'
import type { InputSchemas } from './keys/input/schemas.ts'
import type { HostCalls } from './lib/host-calls.ts'
import type { AuditEventRecord } from './model/audit-event.ts'
import type { Settings } from './options.ts'
import type { EntitlementsCache } from './plans/entitlements-cache.ts'
import type { RecordReader } from './storage/record.ts'

export interface Context<S extends string> {
  readonly settings: Settings<S>
  readonly schemas: InputSchemas<S>
  readonly calls: HostCalls
  readonly plans: EntitlementsCache
  readonly records: RecordReader<S>
  readonly caches: Caches
  readonly changes: Changes
  /** Passes on a change that has been stored. */
  readonly announce: (event: AuditEventRecord) => void
}

/** What processes remember of keys. Those without a cache wait for those with one. */
export interface Caches {
  /** Forgets a key in this process. */
  forget(hash: string): void
  /** Forgets keys in this process and waits, if the change is logged, until no other one answers as before it. */
  wait(hashes: readonly string[], isLogged: boolean): Promise<void>
  /** Waits, if a change is logged, until no process, this one included, answers as before it. */
  waitForAll(isLogged: boolean): Promise<void>
}
