import { Barrier } from './cache/barrier.ts'
import { thisMachine } from './cache/machine.ts'
import { openCache } from './cache/open-cache.ts'
import type { StrictCache } from './cache/strict-cache.ts'
import { toldLog } from './cache/told-log.ts'
import { type FaultEvent, toAuditEvent } from './events/api-key-event.ts'
import { faultEvent } from './events/fault-event.ts'
import { ForeignKeys } from './formats/foreign-keys.ts'
import { inputSchemas } from './keys/input/schemas.ts'
import { silenced } from './lib/tap.ts'
import { withinTime } from './lib/within-time.ts'
import type { AuditEventRecord } from './model/audit-event.ts'
import { OutageError } from './model/errors.ts'
import type { KeyRecord } from './model/key-record.ts'
import type { Settings } from './options.ts'
import type { Entitlements, Plan } from './plans/entitlements.ts'
import { EntitlementsCache } from './plans/entitlements-cache.ts'
import { confirmAnswer } from './storage/answers.ts'
import type { LoggedOutcome, StorageCall } from './storage/contract.ts'
import { type ReadKey, RecordReader } from './storage/record.ts'

/** What every operation of one `createApiKeys` shares. */
export class Context<S extends string> {
  readonly settings: Settings<S>
  readonly schemas: ReturnType<typeof inputSchemas<S>>
  readonly plans: EntitlementsCache
  readonly records: RecordReader<S>
  readonly cache: StrictCache<ReadKey<S>> | null
  /** Keys that other systems issued; `null` without formats. */
  readonly foreign: ForeignKeys<S> | null
  readonly #limit: { readonly timeoutMs: number }
  readonly #barrier: Barrier
  #faultListener: ((fault: FaultEvent) => void) | null

  constructor(settings: Settings<S>) {
    this.settings = settings
    this.#limit = { timeoutMs: settings.storageTimeoutMs }
    this.#faultListener = settings.onEvent
    this.schemas = inputSchemas(
      settings.catalogue,
      () => this.clockMs(),
      settings.formats.map(({ id }) => id),
    )
    this.foreign = settings.formats.length === 0 ? null : new ForeignKeys(this)
    this.records = new RecordReader(settings.catalogue)
    this.plans = new EntitlementsCache(
      (workspaceId) => this.#askHost(workspaceId),
      settings.entitlementsTtlMs,
    )
    const log = toldLog(this)
    this.cache = openCache(this, log)
    this.#barrier = new Barrier({
      log,
      machine: thisMachine,
      onFailedLook: (error) => void this.fault('behind', error),
    })
  }

  /**
   * Runs a storage verb within the time limit and reads its answer. A failure of either, or an
   * answer that `read` refuses, becomes an {@link OutageError}.
   */
  ask<T, R>(
    operation: string,
    work: (call: StorageCall) => T | Promise<T>,
    read: (answer: T) => R,
  ): R | Promise<R> {
    try {
      const answer = this.#withinTime(work)
      return answer instanceof Promise ? this.#readLater(operation, answer, read) : read(answer)
    } catch (error) {
      throw this.fault(operation, error)
    }
  }

  /** Like `ask`, but throws a failure as it is and reports it to nobody. */
  async askQuietly<T, R>(
    work: (call: StorageCall) => T | Promise<T>,
    read: (answer: T) => R,
  ): Promise<R> {
    return read(await this.#withinTime(work))
  }

  /** What the plan of a workspace allows, asked of the host now. */
  entitlements(workspaceId: string): Promise<Plan> {
    return this.#entitlements(this.plans.fresh(workspaceId))
  }

  /**
   * What the plan of a key's workspace allows: the remembered answer if it is current, otherwise a new
   * one from the host.
   */
  planOf(known: ReadKey<S>, isCurrent = this.cache?.isCurrent() !== false): Plan | Promise<Plan> {
    const { workspaceId } = known.record
    if (!isCurrent) return this.#entitlements(this.plans.fresh(workspaceId))
    if (!known.plan?.isCurrent()) known.plan = this.plans.remembered(workspaceId)
    return known.plan?.entitlements ?? this.#entitlements(this.plans.ask(workspaceId))
  }

  /**
   * Waits until no process answers from what it remembered of a key before a change. Processes without
   * a cache wait for those with one.
   */
  async settle(hash: string, { sequence }: LoggedOutcome): Promise<void> {
    this.cache?.forget(hash)
    if (sequence !== undefined) await this.#barrier.pass(sequence, this.cache?.node ?? null)
  }

  /**
   * The same for a change that somebody else made, whose own call may not have answered yet: it may
   * not be durable, and processes may still remember the key as it was.
   */
  async settleEarlier({ workspaceId, hash }: KeyRecord): Promise<void> {
    const { storage } = this.settings
    const confirm = (call: StorageCall) => storage.confirm(workspaceId, call)
    await this.settle(hash, await this.ask('confirm', confirm, confirmAnswer))
  }

  /** Waits until no process, this one included, answers from what it remembered before a change. */
  async settleAll({ sequence }: LoggedOutcome): Promise<void> {
    if (sequence !== undefined) await this.#barrier.pass(sequence, null)
  }

  /** Forgets the plan of a workspace, or of all: in every process with a cache, if this one has one. */
  async dropEntitlements(workspaceId: string | null): Promise<void> {
    if (this.cache === null) return this.plans.drop(workspaceId ?? undefined)
    const sequence = await this.cache.changePlan(workspaceId)
    await this.#barrier.pass(sequence, this.cache.node)
  }

  /** The host's clock. */
  clockMs(): number {
    try {
      return this.settings.nowMs()
    } catch (error) {
      throw this.fault('now', error)
    }
  }

  /** Reports a failure to the fault listener and returns the error to throw. */
  fault(operation: string, error: unknown, details: Pick<FaultEvent, 'count'> = {}): OutageError {
    this.#faultListener?.(faultEvent({ at: this.#faultTime(), operation, error, ...details }))
    return new OutageError(operation, error)
  }

  /** Reports what was thrown, except an {@link OutageError}: that was reported when it was made. */
  report(operation: string, error: unknown): void {
    if (!(error instanceof OutageError)) this.fault(operation, error)
  }

  /** Sets the listener for faults, unless there is one already. */
  listenForFaults(listener: (fault: FaultEvent) => void): void {
    this.#faultListener ??= silenced(listener)
  }

  /** Tells the tap of a change that has been stored. */
  announce(event: AuditEventRecord): void {
    this.settings.onEvent?.(toAuditEvent(event))
  }

  /** The clock of the host may itself be what fails. */
  #faultTime(): Date {
    try {
      return new Date(this.settings.nowMs())
    } catch {
      return new Date()
    }
  }

  async #entitlements(answer: Promise<Plan>): Promise<Plan> {
    try {
      return await answer
    } catch (error) {
      throw this.fault('entitlements', error)
    }
  }

  async #readLater<T, R>(
    operation: string,
    answer: Promise<T>,
    read: (answer: T) => R,
  ): Promise<R> {
    try {
      return read(await answer)
    } catch (error) {
      throw this.fault(operation, error)
    }
  }

  /** Has a limit of its own, so that a question that hangs does not delay later callers. */
  #askHost(workspaceId: string): Entitlements | Promise<Entitlements> {
    return this.#withinTime(() => this.settings.entitlements(workspaceId))
  }

  #withinTime<T>(work: (call: StorageCall) => T | Promise<T>): T | Promise<T> {
    return withinTime(this.#limit, work)
  }
}

/** Reads an answer as it is. */
export function same<T>(answer: T): T {
  return answer
}
