import { takenError } from '../changes/member.ts'
import type { Context } from '../context.ts'
import { importEvent } from '../events/new-event.ts'
import { defined } from '../lib/values.ts'
import type { AuditEventRecord } from '../model/audit-event.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { Person } from '../model/key.ts'
import { NEW_KEY_STATE } from '../model/key-fields.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { nextNoticeAt } from '../model/notice-time.ts'
import type { Plan } from '../plans/entitlements.ts'
import { mintId } from '../secret/mint.ts'
import { newExpiry } from './create-key.ts'
import { findByHash } from './find-key-by-secret.ts'
import { externalKeyId, readKey } from './get-key.ts'
import { refuseField } from './input/parse.ts'
import { restrictedTo } from './input/restrictions.ts'
import type { Parsed } from './input/schemas.ts'

type Fields<S extends string> = Omit<Parsed<'importRow', S>, 'digest'>

/** What tells a key from all others: its hash and, where it has an `externalId`, its id. */
interface Identity {
  readonly workspaceId: string
  readonly hash: string
  readonly id: string | null
}

/** A key that was imported or was there already, under this or another hash. */
interface Imported {
  readonly outcome: 'imported' | 'exists'
  /** `null` where a dry run has stored none. */
  readonly id: string | null
}

export class Importer<S extends string> {
  readonly #context: Context<S>
  readonly #options: { readonly actor: Person; readonly dryRun: boolean }
  readonly #plans = new Map<string, Plan>()
  /** The hashes and ids that a dry run has seen, each with its workspace. */
  readonly #seen = new Map<string, string>()

  constructor(context: Context<S>, options: { readonly actor: Person; readonly dryRun: boolean }) {
    this.#context = context
    this.#options = options
  }

  /** Throws `invalid_input` and `workspace_erased`. */
  async store({ externalId, ...fields }: Fields<S>, hash: string): Promise<Imported> {
    const { workspaceId, format } = fields
    const id = externalId === undefined ? null : externalKeyId(format, workspaceId, externalId)
    const identity = { workspaceId, hash, id }
    const earlier = await this.#find(identity)
    if (earlier !== null) return imported('exists', earlier)
    const record = this.#recordOf(fields, identity, await this.#planOf(workspaceId))
    if (this.#options.dryRun) return this.#dryOutcome(record)
    const event = importEvent(record, { actor: this.#options.actor, atMs: record.updatedAtMs })
    const since = await this.#insert(record, event, identity)
    if (since !== null) return imported('exists', since)
    this.#context.announce(event)
    return imported('imported', record)
  }

  #dryOutcome({ hash, id, workspaceId }: KeyRecord): Imported {
    const seenIn = this.#seen.get(hash) ?? this.#seen.get(id)
    if (seenIn === workspaceId) return { outcome: 'exists', id: null }
    if (seenIn !== undefined) refuseElsewhere()
    for (const name of [hash, id]) this.#seen.set(name, workspaceId)
    return { outcome: 'imported', id: null }
  }

  async #planOf(workspaceId: string): Promise<Plan> {
    const known = this.#plans.get(workspaceId)
    if (known !== undefined) return known
    const plan = await this.#context.plans.fresh(workspaceId)
    this.#plans.set(workspaceId, plan)
    return plan
  }

  /** The plan limits the lifetime of the key; the active-key limit does not apply. */
  #recordOf(
    { expiresAt, createdAt, prefix, resources = {}, ...fields }: Omit<Fields<S>, 'externalId'>,
    { hash, id }: Identity,
    plan: Plan,
  ): KeyRecord {
    const nowMs = this.#context.calls.clockMs()
    const expiresAtMs = newExpiry(plan, nowMs, expiresAt)
    return {
      ...NEW_KEY_STATE,
      ...defined(fields),
      noticeAtMs: nextNoticeAt({ ...NEW_KEY_STATE, expiresAtMs }, nowMs),
      resources: restrictedTo({}, resources, ['resources']),
      hash,
      id: id ?? mintId('key'),
      prefix: prefix ?? fields.format,
      createdAtMs: createdAt?.getTime() ?? nowMs,
      updatedAtMs: nowMs,
      expiresAtMs,
    }
  }

  /** The key with this hash, or else with this id. */
  async #find(identity: Identity): Promise<KeyRecord | null> {
    const byHash = await findByHash(this.#context, identity.hash)
    const found = byHash ?? (await this.#findById(identity))
    if (found === null) return null
    if (found.workspaceId !== identity.workspaceId) refuseElsewhere()
    // Another process may have stored it: this one may remember that there was none.
    this.#context.caches.forget(found.hash)
    return found
  }

  async #findById({ workspaceId, id }: Identity): Promise<KeyRecord | null> {
    if (id === null) return null
    return (await readKey(this.#context, workspaceId, id))?.record ?? null
  }

  /** `null`, or the key that another process has stored meanwhile. */
  async #insert(
    record: KeyRecord,
    event: AuditEventRecord,
    identity: Identity,
  ): Promise<KeyRecord | null> {
    const { caches, changes, calls } = this.#context
    const { answer: isStored } = await changes.make({
      operation: 'importKeys',
      workspaceId: record.workspaceId,
      ids: [],
      ifTaken: false,
      decide: ({ isErased }) => {
        if (isErased) throw new ApiKeyError('workspace_erased')
        return { answer: true, step: { keys: [record], events: [event], adds: 1 } }
      },
    })
    caches.forget(record.hash)
    if (isStored) return null
    const since = await this.#find(identity)
    if (since === null) throw calls.fault('importKeys', takenError())
    return since
  }
}

function imported(outcome: Imported['outcome'], { id }: KeyRecord): Imported {
  return { outcome, id }
}

/** Throws for a key that another workspace has. */
function refuseElsewhere(): void {
  const message = 'belongs to a key of another workspace.'
  refuseField(['digest'], { code: 'repeated', message })
}
