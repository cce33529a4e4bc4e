import {
  type AuthenticateOptions,
  accessCheck,
  checkText,
  surroundingsOf,
} from './authenticate/access-check.ts'
import { Authenticator } from './authenticate/authenticator.ts'
import { checker, type HttpEntrance, httpEntrance } from './authenticate/http-entrance.ts'
import { UsageCounter } from './authenticate/usage-counter.ts'
import { Caches } from './cache/caches.ts'
import type { ApiKeysStats } from './cache/strict-cache.ts'
import { Changes } from './changes/changes.ts'
import type { Context } from './context.ts'
import {
  type ErasedCounts,
  erasePerson,
  eraseWorkspace,
  type PurgeInput,
  purge,
} from './erasure/erase.ts'
import { faultEvent, toAuditEvent } from './events/api-key-event.ts'
import { createKey, type IssuedKey } from './keys/create-key.ts'
import { findKeyBySecret } from './keys/find-key-by-secret.ts'
import { type GetKeyQuery, getKey } from './keys/get-key.ts'
import { type ImportedRow, type ImportOptions, importKeys } from './keys/import-keys.ts'
import { inputSchemas } from './keys/input/schemas.ts'
import { type KeyUsageQuery, keyUsage, type UsageHistory } from './keys/key-usage.ts'
import { type EventList, type ListEventsQuery, listEvents } from './keys/list-events.ts'
import { type KeyList, type ListKeysQuery, listKeys } from './keys/list-keys.ts'
import type { GrantingAction } from './keys/make-change.ts'
import { setPaused } from './keys/pause-key.ts'
import {
  type RemovedResource,
  type RemoveResourceInput,
  removeResource,
} from './keys/remove-resource.ts'
import { type RevokeKeyInput, revokeBySecret, revokeKey } from './keys/revoke-key.ts'
import { type RevokedKeys, type RevokeKeysInput, revokeKeys } from './keys/revoke-keys.ts'
import { type RotatedKey, type RotateKeyInput, rotateKey } from './keys/rotate-key.ts'
import { type UpdateKeyInput, updateKey } from './keys/update-key.ts'
import { HostCalls, type Outage } from './lib/host-calls.ts'
import { silenced } from './lib/tap.ts'
import type { Authentication, Requirement } from './model/denial.ts'
import { ApiKeyError } from './model/errors.ts'
import type { ApiKey, AuthenticatedKey } from './model/key.ts'
import type { CreateKeyInput, ImportKey } from './model/new-key.ts'
import { type ApiKeysOptions, checkOptions, type Settings } from './options.ts'
import { checkEntitlements } from './plans/entitlements.ts'
import { EntitlementsCache } from './plans/entitlements-cache.ts'
import type { ResourceTypes } from './restrictions/resource-types.ts'
import type { ScopeCatalogue } from './scopes/catalogue.ts'
import type { DefaultScope } from './scopes/default-catalogue.ts'
import { RecordReader } from './storage/record.ts'

/**
 * The keys of a backend. Every operation on a key names its workspace, and a key of another workspace is
 * answered as one that does not exist. `findKeyBySecret`, `erasePerson` and `purge` name none.
 *
 * Operations throw {@link ApiKeyError} for a mistake of the caller (`closed` after `close`) and {@link
 * OutageError} for an outage. `authenticate` returns a refusal instead of throwing it.
 */
export interface ApiKeys<S extends string = DefaultScope, T extends string = string> {
  /**
   * Creates a key. The secret is in the answer and nowhere else; after an {@link OutageError} the key may exist,
   * but nobody has its secret. The active-key limit is exact, however many calls run at once.
   *
   * Throws `invalid_input` with every problem at once, `not_grantable`, `plan_required` without the public API,
   * `workspace_erased` and `active_key_limit_reached`.
   */
  createKey(input: CreateKeyInput<S>): Promise<IssuedKey<S>>

  /**
   * Issues the active replacement of an active or paused key in one atomic step: same environment, restrictions,
   * metadata and lifetime, the scopes that the catalogue still has, the name with ` (rotated)` appended and cut to
   * 120 code points. Works at and above the active-key limit. The old key stops at once, or `overlapSeconds` later;
   * nothing extends that time.
   *
   * Throws `invalid_input`, also when none of the key's scopes is in the catalogue any more, `plan_required`,
   * `not_grantable`, `key_not_found`, `key_revoked`, `key_expired`, `key_rotated`, and `overlap_limit_reached`
   * when it would leave more keys retiring than may be active.
   */
  rotateKey(input: RotateKeyInput<S>): Promise<RotatedKey<S>>

  /**
   * Changes a key if it is at `version`; only an active or paused one, or to narrow one that is retiring.
   * Widening it, or a later expiry, needs the plan and the grant. Waits as `revokeKey` does. An update that
   * changes nothing returns the key as it is.
   *
   * Throws `invalid_input`, `key_not_found`, `key_revoked`, `key_expired`, `key_rotated`, `plan_required`,
   * `not_grantable`, and `stale` with the key as it stands when it is at another version.
   */
  updateKey(input: UpdateKeyInput<S>): Promise<ApiKey<S>>

  /**
   * Stops a key until it is resumed, whatever the plan; it counts towards the active-key limit meanwhile. A paused
   * key is returned unchanged. Waits as `revokeKey` does. `grantable` refuses nothing here; it fills
   * `withinGrant`.
   *
   * Throws `invalid_input`, `key_not_found`, `key_revoked`, `key_expired` and `key_rotated`.
   */
  pauseKey(input: GrantingAction<S>): Promise<ApiKey<S>>

  /**
   * Lets a paused key authenticate again. A key that is not paused is returned unchanged. Throws
   * `plan_required`, `not_grantable` and what `pauseKey` throws.
   */
  resumeKey(input: GrantingAction<S>): Promise<ApiKey<S>>

  /**
   * Revokes a key for good, whatever its status and the plan. A key that is revoked already is returned
   * unchanged, and one that is being replaced ends its overlap now. Once this has resolved, no later
   * `authenticate` on the same storage accepts the key, in no process, also with the option `cache`; it then
   * waits for processes that do not answer, at most for a lease. Throws `key_not_found` and `invalid_input`.
   */
  revokeKey(input: RevokeKeyInput): Promise<ApiKey<S>>

  /**
   * Revokes every key of a workspace that passes all filters and is active, paused or retiring, whatever the
   * plan: those that were there at its start, in steps of at most 200 with an audit event for each key. Waits as
   * `revokeKey` does, and can be called again at any time, also after a crash. Throws `invalid_input`, also
   * without a filter and for one that is `undefined` or `null`.
   */
  revokeKeys(input: RevokeKeysInput<S>): Promise<RevokedKeys<S>>

  /**
   * Takes a resource that is gone out of every key of a workspace that lists it, with an audit event for each. A
   * key whose list is empty afterwards reaches nothing of the type. It can be called again at any time, also after
   * a crash. Throws `invalid_input`.
   */
  removeResource(input: RemoveResourceInput): Promise<RemovedResource>

  /**
   * Stores up to 1,000 keys that another system issued, so that their secrets go on working. For the host's own
   * code, never for a request. A row that was imported before is `exists`, so an interrupted import is simply
   * repeated; a bad row is an outcome too. The active-key limit does not hold rows back, but counts them
   * afterwards; a plan's `maxLifetimeSeconds` holds for them.
   *
   * Throws a `TypeError` without the option `formats`, `invalid_input` for bad options or too many rows, and
   * {@link OutageError}; rows stored before it stay stored.
   */
  importKeys(rows: readonly ImportKey<S>[], options: ImportOptions): Promise<readonly ImportedRow[]>

  /** Reads one key, whatever its status and the plan. Throws `key_not_found` and `invalid_input`. */
  getKey(query: GetKeyQuery<S>): Promise<ApiKey<S>>

  /**
   * Finds the key of a leaked secret, whatever its status and plan; `null` when no key has the secret, and for
   * invalid input. White space around the secret is cut. Authenticates nothing and counts no use. Never return
   * the result to a client. Throws `closed` and {@link OutageError}.
   */
  findKeyBySecret(secret: string): Promise<AuthenticatedKey<S> | null>

  /**
   * Revokes the key of a secret for somebody who has it, as `revokeKey` does, with the reason `reported` and the
   * actor `miftah:holder`; `null` where `findKeyBySecret` finds none. Never return the result to a client. Throws
   * `closed` and {@link OutageError}.
   */
  revokeBySecret(secret: string): Promise<ApiKey<S> | null>

  /**
   * Lists a workspace's keys, newest first, revoked ones included, whatever the plan. Throws `invalid_input`,
   * also for a cursor not returned by this workspace's list with these filters.
   */
  listKeys(query: ListKeysQuery<S>): Promise<KeyList<S>>

  /**
   * Adds up the requests of one key, or of all keys of a workspace, by hour: accepted ones, and refused ones by
   * reason. Every hour that the range touches is in the answer. Uses that have not been flushed and deleted keys
   * do not count.
   *
   * Throws `usage_not_kept` with the option `usageHistory: false`, `key_not_found` and `invalid_input`: at most
   * 800 hours, and none from before the oldest that is kept.
   */
  keyUsage(query: KeyUsageQuery): Promise<UsageHistory>

  /** Reads a workspace's audit log, oldest first. Throws `invalid_input`, also for a cursor of another log. */
  listEvents(query: ListEventsQuery): Promise<EventList>

  /**
   * Puts {@link ERASED_PERSON} in the place of the person with an `id`, in every workspace: as creator and
   * `pausedBy` of keys and as actor of audit events, delivered or not. Stop the person's requests first: one that
   * is under way may still store their name. It works in small steps and can be called again at any time, also
   * after a crash. Once this has resolved, no `authenticate` answers with the person. Throws `invalid_input`.
   */
  erasePerson(input: { readonly personId: string }): Promise<ErasedCounts>

  /**
   * Revokes all keys of a workspace, then deletes them with their usage and its delivered audit events; the
   * others are deleted once they have been delivered. The workspace is closed for good. It works in small steps
   * and can be called again at any time, also after a crash. Once this has resolved, no process accepts any of
   * its keys. It writes no audit events. Throws `invalid_input`.
   */
  eraseWorkspace(input: { readonly workspaceId: string }): Promise<ErasedCounts>

  /**
   * Deletes, in every workspace, keys that stopped for good and delivered audit events from before the given
   * instants. Imported keys stay, since a repeated import would bring them back. Cursors stay valid. It works in
   * small steps and can be called again at any time, also after a crash. Throws `invalid_input`.
   */
  purge(input: PurgeInput): Promise<ErasedCounts>

  /**
   * Decides about one request from its whole `Authorization` value (RFC 6750 §2.1) and the scopes it needs: one,
   * `{ anyOf }` or `{ allOf }`, or `null` for any valid key. A refusal is returned, never thrown. It costs at most
   * one storage lookup; the use is counted in memory and written later.
   *
   * Throws `unknown_scope` for a scope outside the catalogue, a `TypeError` for a bad requirement or option and
   * for a header that is neither text nor absent, and {@link OutageError} for an outage.
   */
  authenticate(
    header: string | null | undefined,
    requirement: Requirement<S>,
    options?: AuthenticateOptions<T>,
  ): Promise<Authentication<S>>

  /**
   * Decides as `authenticate` does from a secret that the host has read itself: from the first message of a
   * WebSocket, or from a queue. An empty one is `missing`, one in the wrong form `malformed`.
   */
  authenticateSecret(
    secret: string | null | undefined,
    requirement: Requirement<S>,
    options?: AuthenticateOptions<T>,
  ): Promise<Authentication<S>>

  /**
   * Decides whether a key that `authenticate` has accepted for this request also meets a requirement and, with
   * options, reaches the `resource` that they name. It judges the key as it was read then, makes no storage call
   * and counts no use. Throws `unknown_scope` and a `TypeError` as `authenticate` does.
   */
  authorize(
    key: AuthenticatedKey,
    requirement: Requirement<S>,
    options?: Pick<AuthenticateOptions<T>, 'resource'>,
  ): Authentication<S>

  /** The scopes on offer. */
  readonly catalogue: ScopeCatalogue<S>

  /** The types of resources that keys can be restricted in. */
  readonly resources: ResourceTypes<T>

  /** What every secret begins with: `svc`, or the word that the host chose. */
  readonly brand: string

  /**
   * Forgets the remembered plan of a workspace, or of all, so that the next call asks the host again. Call it when
   * a plan changes. With `cache`, no process that uses it still uses the old answer once this resolves. Throws
   * {@link OutageError} when the other processes cannot be notified; this one has forgotten.
   */
  dropEntitlements(workspaceId?: string): Promise<void>

  /** Cache statistics for this process, from memory. */
  stats(): ApiKeysStats

  /**
   * Reports a failure that a caller must not see, such as one of `onDenied`, to `onEvent`. Adapters call it. An
   * {@link OutageError} is not reported again.
   */
  reportFault(operation: string, error: unknown): void

  /**
   * Resolves once the keys that the option `cache.warm` asks for are in memory; at once without it. Call it before
   * the process takes requests. Never throws for an outage: requests read what is missing.
   */
  ready(): Promise<void>

  /**
   * Writes the uses counted so far. Throws {@link OutageError} when they could not be written; they are kept and
   * tried again. Counts that the storage refuses for good are given up and reported to `onEvent`.
   */
  flush(): Promise<void>

  /**
   * Writes the uses counted so far, gives up the lease of the cache and refuses further calls. Stop accepting
   * requests first. The host closes the storage. Throws as `flush` does, and may be called again.
   */
  close(): Promise<void>

  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Manages keys in a storage, which it does not call before the first operation, except to warm the cache.
 * Throws a `TypeError` that names the option at fault.
 *
 * @example
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { memoryStorage } from 'miftah/memory'
 *
 * const keys = createApiKeys({
 *   storage: memoryStorage(),
 *   entitlements: () => plans.business,
 * })
 * const { secret } = await keys.createKey({
 *   workspaceId: 'ws_1',
 *   creator: { id: 'u_1', name: 'نورة' },
 *   name: 'CRM sync',
 *   environment: 'live',
 *   scopes: ['contacts.read'],
 * })
 * const auth = await keys.authenticate(`Bearer ${secret}`, 'contacts.read')
 * auth.ok //=> true
 * await keys.close()
 * ```
 */
export function createApiKeys<const S extends string = DefaultScope, T extends string = string>(
  options: ApiKeysOptions<S, T>,
): ApiKeys<S, T> {
  const context = openContext(checkOptions(options))
  const { calls, caches, settings } = context
  const { storage, usageFlushMs: intervalMs, usageHistory: history } = settings
  const usage = new UsageCounter({ calls, storage, intervalMs, history })
  const authenticator = new Authenticator(context, usage)
  const warmed = caches.warm((hash) => authenticator.readAhead(hash))
  let closed = false
  const open = <T>(work: () => Promise<T>): Promise<T> =>
    closed ? Promise.reject(new ApiKeyError('closed')) : work()
  const close = async () => {
    closed = true
    try {
      await caches.own?.close()
    } finally {
      await usage.flush()
    }
  }
  const keys: ApiKeys<S, T> = {
    createKey: (input) => open(() => createKey(context, input)),
    rotateKey: (input) => open(() => rotateKey(context, input)),
    revokeKey: (input) => open(() => revokeKey(context, input)),
    revokeKeys: (input) => open(() => revokeKeys(context, input)),
    removeResource: (input) => open(() => removeResource(context, input)),
    updateKey: (input) => open(() => updateKey(context, input)),
    pauseKey: (input) => open(() => setPaused(context, input, true)),
    resumeKey: (input) => open(() => setPaused(context, input, false)),
    importKeys: (rows, options) => open(() => importKeys(context, rows, options)),
    getKey: (query) => open(() => getKey(context, query)),
    findKeyBySecret: (secret) => open(() => findKeyBySecret(context, secret)),
    revokeBySecret: (secret) => open(() => revokeBySecret(context, secret)),
    listKeys: (query) => open(() => listKeys(context, query)),
    keyUsage: (query) => open(() => keyUsage(context, query)),
    listEvents: (query) => open(() => listEvents(context, query)),
    erasePerson: (input) => open(() => erasePerson(context, input)),
    eraseWorkspace: (input) => open(() => eraseWorkspace(context, input)),
    purge: (input) => open(() => purge(context, input)),
    authenticate: (header, requirement, options) =>
      open(async () => {
        const text = checkText(header, 'authenticate takes the Authorization header')
        return authenticator.authenticate(
          text,
          accessCheck(settings.catalogue, requirement, options),
        )
      }),
    authenticateSecret: (secret, requirement, options) =>
      open(async () => {
        const text = checkText(secret, 'authenticateSecret takes a secret')
        return authenticator.authenticateSecret(
          text,
          accessCheck(settings.catalogue, requirement, options),
        )
      }),
    authorize: (key, requirement, options) => {
      // Without a word about resources the guard has looked at them. What is given comes at once.
      const rule = options === undefined ? 'by_handler' : surroundingsOf(options).resource
      return authenticator.authorize(key, requirement, rule) as Authentication<S>
    },
    catalogue: settings.catalogue,
    // As they came with the options.
    resources: settings.resources as ResourceTypes<T>,
    brand: settings.brand,
    dropEntitlements: (workspaceId) => open(() => caches.dropPlan(workspaceId ?? null)),
    stats: () => Object.freeze({ cache: caches.own?.stats ?? null }),
    reportFault: (operation, error) => calls.report(operation, error),
    ready: () => open(() => warmed),
    flush: () => usage.flush(),
    close,
    [Symbol.asyncDispose]: close,
  }
  const entrance: HttpEntrance<S> = {
    keys,
    authenticate: (header, check) => {
      if (closed) throw new ApiKeyError('closed')
      return authenticator.authenticate(header, check)
    },
    check: checker(context.schemas),
    reportCleartext: () => void authenticator.refuse('cleartext', null),
    authorize: (key, requirement, rule) => authenticator.authorize(key, requirement, rule),
    listen: (listener) => {
      const tap = silenced(listener)
      calls.listen((outage) => tap(faultEvent(outage)))
    },
  }
  return Object.freeze(Object.assign(keys, { [httpEntrance]: entrance }))
}

function openContext<S extends string>(settings: Settings<S>): Context<S> {
  const { storage, catalogue, formats, storageTimeoutMs, nowMs, onEvent, cache } = settings
  const onOutage = onEvent && ((outage: Outage) => onEvent(faultEvent(outage)))
  const calls = new HostCalls({ timeoutMs: storageTimeoutMs, nowMs, onOutage })
  const plans = new EntitlementsCache(
    (workspaceId) =>
      calls.run('entitlements', () => settings.entitlements(workspaceId), checkEntitlements),
    settings.entitlementsTtlMs,
  )
  const dropPlan = (workspaceId: string | null) => plans.drop(workspaceId ?? undefined)
  const formatIds = formats.map(({ id }) => id)
  return {
    settings,
    schemas: inputSchemas({
      catalogue,
      nowMs: () => calls.clockMs(),
      formats: formatIds,
      resourceTypes: settings.resources.types,
      privateNetworks: settings.privateNetworks,
    }),
    calls,
    plans,
    records: new RecordReader(catalogue, settings.resources.types),
    changes: new Changes({ calls, storage, timeoutMs: storageTimeoutMs }),
    caches: new Caches({ calls, storage, storageTimeoutMs, cache, dropPlan }),
    announce: (event) => onEvent?.(toAuditEvent(event)),
  }
}
