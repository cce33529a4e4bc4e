import type { Context } from '../context.ts'
import { auditEvent } from '../events/new-event.ts'
import { defined } from '../lib/defined.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { ApiKey, Environment, KeyMetadata, Person } from '../model/key.ts'
import { insertAnswer } from '../storage/answers.ts'
import { parseInput } from './input/parse.ts'
import { issue } from './issue.ts'
import { newExpiry } from './lifetime.ts'

/** The fields of a new key that its user chooses. */
export interface KeyFields<S extends string = string> {
  /** 1 to 120 Unicode code points after trimming; no control, text-direction or other invisible ones. */
  readonly name: string
  /** Where the key is meant to be used. */
  readonly environment: Environment
  /** At least one scope of the catalogue, none twice. */
  readonly scopes: readonly S[]
  /**
   * When the key expires: at least 60 seconds ahead and within the plan's `maxLifetimeSeconds`; `null`
   * for never. Default: as late as the plan allows.
   */
  readonly expiresAt?: Date | null | undefined
  /**
   * Notes of the host: up to 20 entries with names of 1 to 40 letters, digits, `_`, `.` and `-`, values
   * of up to 500 code points, and 4 KiB as JSON. They authorise nothing. Default: none.
   */
  readonly metadata?: KeyMetadata | undefined
}

/** What `createKey` needs: the fields, whose key it is, and who makes it. */
export interface CreateKeyInput<S extends string = string> extends KeyFields<S> {
  /** Whose key it is: 1 to 255 Unicode code points without control characters. */
  readonly workspaceId: string
  /** Who makes it; also the actor of the audit event. */
  readonly creator: Person
}

/** A new key and its secret. The secret is here and nowhere else: it cannot be had again. */
export interface IssuedKey<S extends string = string> {
  /** The key, as it is safe to show. */
  readonly key: ApiKey<S>
  /** What the caller sends: brand, environment, 40 random characters and a checksum of 6. */
  readonly secret: string
}

/** Creates a key if the input is valid, the plan includes the API and there is room for it. */
export async function createKey<S extends string>(
  context: Context<S>,
  input: CreateKeyInput<S>,
): Promise<IssuedKey<S>> {
  const { expiresAt, ...fields } = parseInput(context.schemas.create, input)
  const { creator, workspaceId } = fields
  const plan = await context.entitlements(workspaceId)
  if (!plan.publicApi) throw new ApiKeyError('plan_required')
  const { activeKeyLimit } = plan
  const createdAtMs = context.clockMs()
  const expiresAtMs = newExpiry(plan, createdAtMs, expiresAt)
  const { record, secret } = issue(context.settings, {
    ...defined(fields),
    createdAtMs,
    expiresAtMs,
  })
  const event = auditEvent('api_key.created', record, { actor: creator, atMs: createdAtMs })
  const { storage } = context.settings
  const activeKeys = await context.ask(
    'insert',
    (call) => storage.insert(record, activeKeyLimit, event, call),
    (outcome) => insertAnswer(outcome, activeKeyLimit),
  )
  if (activeKeys === 'erased') throw new ApiKeyError('workspace_erased')
  if (activeKeys !== null && activeKeyLimit !== null) {
    throw new ApiKeyError('active_key_limit_reached', { activeKeys, activeKeyLimit })
  }
  context.announce(event)
  return Object.freeze({ key: context.records.newKey(record), secret })
}
