import type { Context } from '../context.ts'
import { revocationEvent } from '../events/new-event.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { ApiKey, Person } from '../model/key.ts'
import type { KeyRecord } from '../model/key-record.ts'
import type { RevocationReason } from '../model/revocation-reason.ts'
import { statusAt } from '../model/status.ts'
import { outcomeAnswer, revokedKey, sequenceOf } from '../storage/answers.ts'
import type { RevokeChange, RevokeOutcome } from '../storage/contract.ts'
import { findKey } from './find-key.ts'
import { parseInput } from './input/parse.ts'
import type { KeyAction } from './key-action.ts'

/**
 * Why a key is revoked.
 *
 * @inline
 */
export interface RevocationFields {
  /** Why, for the audit event. Default: not said. */
  readonly reason?: RevocationReason | undefined
}

/**
 * Which key to revoke, who does it, and why.
 *
 * @inline
 */
export interface RevokeKeyInput extends KeyAction, RevocationFields {}

/** Revokes a key, whatever the plan. A key that is revoked already is returned unchanged. */
export async function revokeKey<S extends string>(
  context: Context<S>,
  input: RevokeKeyInput,
): Promise<ApiKey<S>> {
  const { actor, workspaceId, id, reason = null } = parseInput(context.schemas.revoke, input)
  const current = await findKey(context, { workspaceId, id })
  return revokeFound(context, current, { actor, reason })
}

/** Revokes a key that was looked up. */
export async function revokeFound<S extends string>(
  context: Context<S>,
  current: KeyRecord,
  { actor, reason }: { readonly actor: Person; readonly reason: RevocationReason | null },
): Promise<ApiKey<S>> {
  const query = { workspaceId: current.workspaceId, id: current.id }
  const { storage } = context.settings
  const revokedAtMs = context.calls.clockMs()
  const endedOverlap = statusAt(current, revokedAtMs) === 'retiring'
  const event = revocationEvent(current, { actor, atMs: revokedAtMs, endedOverlap, reason })
  const change = { ...query, revokedAtMs, event }
  const result = await context.calls.run(
    'revoke',
    (call) => storage.revoke(change, call),
    (answer) => revokeAnswer(answer, change),
  )
  if (result.outcome === 'not_found') throw new ApiKeyError('key_not_found')
  if (result.outcome === 'revoked') context.announce(event)
  await context.caches.wait(result.record.hash, result)
  return context.records.key(result.record, revokedAtMs)
}

function revokeAnswer(answer: RevokeOutcome, change: RevokeChange): RevokeOutcome {
  const result = outcomeAnswer(answer, ['revoked', 'already_revoked', 'not_found'])
  if (result.outcome === 'not_found') return result
  revokedKey(result.record, change)
  sequenceOf(result)
  return result
}
