import { confirmationOf, type Step } from '../changes/change.ts'
import type { Context } from '../context.ts'
import { newEvent } from '../events/new-event.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { ApiKey, Person } from '../model/key.ts'
import type { KeyRecord } from '../model/key-record.ts'
import type { RevocationReason } from '../model/revocation-reason.ts'
import { statusAt } from '../model/status.ts'
import { findRecord } from './find-key-by-secret.ts'
import { parseInput } from './input/parse.ts'
import { changeKey, type KeyAction } from './make-change.ts'

/** Why a key is revoked. @inline */
export interface RevocationFields {
  /** Why, for the audit event. Default: not said. */
  readonly reason?: RevocationReason | undefined
}

/** Which key to revoke, who does it, and why. @inline */
export interface RevokeKeyInput extends KeyAction, RevocationFields {}

export async function revokeKey<S extends string>(
  context: Context<S>,
  input: RevokeKeyInput,
): Promise<ApiKey<S>> {
  const { reason = null, ...fields } = parseInput(context.schemas.revoke, input)
  return revokeFound(context, { ...fields, reason })
}

export interface Revoker {
  readonly actor: Person
  readonly reason: RevocationReason | null
}

async function revokeFound<S extends string>(
  context: Context<S>,
  { workspaceId, id, ...by }: Revoker & Pick<KeyRecord, 'workspaceId' | 'id'>,
): Promise<ApiKey<S>> {
  const change = { operation: 'revokeKey', workspaceId, id }
  return changeKey(context, change, ({ record: current, usage }, { workspace, calledAtMs }) => {
    const step =
      current.revokedAtMs === null
        ? revocationOf(current, { ...by, atMs: workspace.atMs, calledAtMs })
        : confirmationOf(current)
    const [record = current] = step.keys
    return { answer: context.records.key({ record, usage }, calledAtMs), step }
  })
}

/**
 * The step that revokes a key. One whose overlap is over has ended without an event of its own; it is stored
 * as revoked nevertheless, so that no process whose clock is behind accepts it.
 */
export function revocationOf(
  current: KeyRecord,
  {
    atMs,
    calledAtMs,
    actor,
    reason,
  }: Revoker & { readonly atMs: number; readonly calledAtMs: number },
): Step {
  const { retiresAtMs } = current
  const version = current.version + 1
  const record = { ...current, version, updatedAtMs: calledAtMs }
  if (retiresAtMs !== null && retiresAtMs <= atMs) {
    return { keys: [{ ...record, revokedAtMs: retiresAtMs }], events: [] }
  }
  const more = { endedOverlap: statusAt(current, calledAtMs) === 'retiring', reason }
  return {
    keys: [{ ...record, revokedAtMs: calledAtMs, noticeAtMs: null }],
    events: [newEvent('api_key.revoked', current, { actor, atMs: calledAtMs }, more)],
  }
}

const HOLDER: Person = Object.freeze({ id: 'miftah:holder', name: 'Holder of the key' })

export async function revokeBySecret<S extends string>(
  context: Context<S>,
  secret: string,
): Promise<ApiKey<S> | null> {
  const found = await findRecord(context, secret)
  if (found === null) return null
  try {
    const { workspaceId, id } = found
    return await revokeFound(context, { workspaceId, id, actor: HOLDER, reason: 'reported' })
  } catch (error) {
    // The key was deleted in the meantime.
    if (error instanceof ApiKeyError && error.code === 'key_not_found') return null
    throw error
  }
}
