import { sha256Hex } from '#sha256'
import type { Context } from '../context.ts'
import { newEvent } from '../events/new-event.ts'
import { defined } from '../lib/values.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { ApiKey } from '../model/key.ts'
import { NEW_KEY_STATE } from '../model/key-fields.ts'
import type { KeyRecord } from '../model/key-record.ts'
import type { CreateKeyInput } from '../model/new-key.ts'
import { nextNoticeAt } from '../model/status.ts'
import type { Plan } from '../plans/entitlements.ts'
import { takeCeiling } from '../restrictions/grant.ts'
import { PREFIX_LENGTH } from '../secret/format.ts'
import { mintId, mintSecret } from '../secret/mint.ts'
import { LATEST_INSTANT_MS } from './input/instants.ts'
import { type Problem, parseInput, refuseField } from './input/parse.ts'
import { restrictedTo } from './input/restrictions.ts'

/** A new key and its secret. The secret is here and nowhere else: it cannot be had again. */
export interface IssuedKey<S extends string = string> {
  /** The key, as it is safe to show. */
  readonly key: ApiKey<S>
  /** What the caller sends: brand, environment, 40 random characters and a checksum of 6. */
  readonly secret: string
}

export async function createKey<S extends string>(
  context: Context<S>,
  input: CreateKeyInput<S>,
): Promise<IssuedKey<S>> {
  const { ceiling, given } = takeCeiling(input, context.settings)
  const { expiresAt, resources: access = {}, ...fields } = parseInput(context.schemas.create, given)
  const { creator, workspaceId, scopes, environment, networks = 'any' } = fields
  const resources = restrictedTo({}, access, ['resources'])
  ceiling?.assert({ scopes, resources, networks, environment })
  const plan = await context.plans.fresh(workspaceId)
  if (!plan.publicApi) throw new ApiKeyError('plan_required')
  const { activeKeyLimit } = plan
  const createdAtMs = context.calls.clockMs()
  const expiresAtMs = newExpiry(plan, createdAtMs, expiresAt)
  const { record, secret } = issue(context.settings, {
    ...defined(fields),
    resources,
    createdAtMs,
    expiresAtMs,
  })
  const change = { actor: creator, atMs: createdAtMs }
  const event = newEvent('api_key.created', record, change, {})
  await context.changes.make({
    operation: 'createKey',
    workspaceId,
    ids: [],
    limit: activeKeyLimit,
    decide: ({ isErased, activeKeys }) => {
      if (isErased) throw new ApiKeyError('workspace_erased')
      const step = { keys: [record], events: [event], adds: 1 }
      if (activeKeyLimit === null) return { answer: null, step }
      if (activeKeys >= activeKeyLimit) {
        throw new ApiKeyError('active_key_limit_reached', { activeKeys, activeKeyLimit })
      }
      // Others may fill the rest of the room meanwhile.
      return { answer: null, step: { ...step, room: activeKeyLimit - activeKeys - 1 } }
    },
  })
  context.announce(event)
  return Object.freeze({ key: context.records.newKey(record), secret })
}

/** What a new key has of its own; the rest is that of every new key. */
type NewKey = Omit<
  KeyRecord,
  'hash' | 'id' | 'prefix' | 'updatedAtMs' | 'noticeAtMs' | keyof typeof NEW_KEY_STATE
> &
  Partial<typeof NEW_KEY_STATE>

export function issue(
  { brand }: { readonly brand: string },
  key: NewKey,
): { readonly record: KeyRecord; readonly secret: string } {
  const secret = mintSecret(brand, key.environment)
  const state = { ...NEW_KEY_STATE, ...key }
  const record: KeyRecord = Object.freeze({
    ...state,
    noticeAtMs: nextNoticeAt(state, key.createdAtMs),
    scopes: Object.freeze([...key.scopes]),
    creator: Object.freeze({ ...key.creator }),
    hash: sha256Hex(secret),
    id: mintId('key'),
    prefix: secret.slice(0, PREFIX_LENGTH),
    updatedAtMs: key.createdAtMs,
  })
  return { record, secret }
}

type LifetimePolicy = Pick<Plan, 'maxLifetimeSeconds'>

/**
 * When a new key expires, in milliseconds since the epoch: as `wanted` says (`null`: never), or else as late
 * as the plan allows. Throws `invalid_input` for what the plan forbids.
 */
export function newExpiry(
  policy: LifetimePolicy,
  createdAtMs: number,
  wanted: Date | null | undefined,
): number | null {
  if (wanted === undefined) return latestExpiry(policy, createdAtMs)
  const expiresAtMs = wanted?.getTime() ?? null
  refuseField(['expiresAt'], lifetimeProblem(policy, createdAtMs, expiresAtMs))
  return expiresAtMs
}

/** The latest instant at which a key made at `createdAtMs` expires; `null` if it may live for ever. */
export function latestExpiry(
  { maxLifetimeSeconds }: LifetimePolicy,
  createdAtMs: number,
): number | null {
  if (maxLifetimeSeconds === null) return null
  return Math.min(createdAtMs + maxLifetimeSeconds * 1_000, LATEST_INSTANT_MS)
}

/** What is wrong with the expiry of a key made at `createdAtMs`, if the plan forbids it. */
export function lifetimeProblem(
  policy: LifetimePolicy,
  createdAtMs: number,
  expiresAtMs: number | null,
): Problem | null {
  const latestMs = latestExpiry(policy, createdAtMs)
  if (latestMs === null) return null
  if (expiresAtMs === null) return { code: 'required', message: 'is required by the plan.' }
  if (expiresAtMs <= latestMs) return null
  return { code: 'out_of_range', message: 'must not be later than the plan allows.' }
}
