import type { InputSchemas } from './keys/input/schemas.ts'
import type { HostCalls } from './lib/host-calls.ts'
import type { AuditEventRecord } from './model/audit-event.ts'
import type { KeyRecord } from './model/key-record.ts'
import type { Settings } from './options.ts'
import type { EntitlementsCache } from './plans/entitlements-cache.ts'
import type { LoggedOutcome } from './storage/contract.ts'
import type { RecordReader } from './storage/record.ts'

/** What every operation of one `createApiKeys` shares. */
export interface Context<S extends string> {
  readonly settings: Settings<S>
  readonly schemas: InputSchemas<S>
  readonly calls: HostCalls
  readonly plans: EntitlementsCache
  readonly records: RecordReader<S>
  readonly caches: Caches
  /** Passes on a change that has been stored. */
  readonly announce: (event: AuditEventRecord) => void
}

/** What processes remember of keys. Those without a cache wait for those with one. */
export interface Caches {
  /** Forgets a key in this process. */
  forget(hash: string): void
  /** Waits until no process answers from what it remembered of a key before a change. */
  wait(hash: string, outcome: LoggedOutcome): Promise<void>
  /**
   * The same for a change that somebody else made, whose own call may not have answered yet: it may
   * not be durable, and processes may still remember the key as it was.
   */
  waitForEarlier(record: KeyRecord): Promise<void>
  /** The same for all keys of a workspace, in this process too. */
  waitForWorkspace(workspaceId: string): Promise<void>
  /** Waits until no process, this one included, answers from what it remembered before a change. */
  waitForAll(outcome: LoggedOutcome): Promise<void>
}
