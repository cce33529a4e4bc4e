import type { KnownKey } from './authenticate/known-keys.ts'
import type { Caches } from './cache/caches.ts'
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
  /** What processes remember of keys. Those without a cache wait for those with one. */
  readonly caches: Caches<KnownKey<S>>
  readonly changes: Changes
  /** Passes on a change that has been stored. */
  readonly announce: (event: AuditEventRecord) => void
}
