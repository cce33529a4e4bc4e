import type { Context } from '../context.ts'
import { ApiKeyError } from '../errors.ts'
import { rotationEvent } from '../events/new-event.ts'
import { keyOf, outcomeAnswer, revokedKey } from '../storage/answers.ts'
import type { KeyRecord, RotateChange, RotateOutcome } from '../storage/contract.ts'
import type { ApiKey, Person } from './api-key.ts'
import type { IssuedKey } from './create-key.ts'
import { findKey } from './find-key.ts'
import { parseInput } from './input/parse.ts'
import { issue } from './issue.ts'
import { rotatedName } from './rotated-name.ts'

/** Which key to rotate or revoke, and who does it. */
export interface KeyAction {
  /** The workspace of the key; a key of another one is not found. */
  readonly workspaceId: string
  /** The id of the key, not its secret or prefix. */
  readonly id: string
  /** Who does it: the actor of the audit event, and the creator of a replacement. */
  readonly actor: Person
}

/** The replacement, its secret, and the key it replaced, now revoked. */
export interface RotatedKey<S extends string = string> extends IssuedKey<S> {
  /** The old key as it stands now: revoked. */
  readonly replaced: ApiKey<S>
}

/** Revokes an active key and issues its replacement in one step. */
export async function rotateKey<S extends string>(
  context: Context<S>,
  input: KeyAction,
): Promise<RotatedKey<S>> {
  const { actor, ...asked } = parseInput(context.schemas.action, input)
  const current = await findKey(context, asked)
  const { publicApi } = await context.entitlements(asked.workspaceId)
  if (!publicApi) throw new ApiKeyError('plan_required')
  if (current.revokedAtMs !== null) throw new ApiKeyError('key_revoked')
  const { record: replacement, secret } = replacementOf(context, current, actor)
  const event = rotationEvent(current, replacement, actor)
  const change = { ...asked, revokedAtMs: replacement.createdAtMs, event, replacement }
  const result = await context.ask(
    'rotate',
    (call) => context.settings.storage.rotate(change, call),
    (answer) => rotateAnswer(answer, change),
  )
  if (result.outcome !== 'rotated') throw refusal(result.outcome)
  context.announce(event)
  const { records } = context
  return Object.freeze({
    key: records.key(result.replacement),
    secret,
    replaced: records.key(result.replaced),
  })
}

/**
 * What a key's replacement is made of never changes in the key, so that reading it first is safe:
 * whether the key is still active is decided in the storage.
 */
function replacementOf<S extends string>(
  { settings, records }: Context<S>,
  current: KeyRecord,
  creator: Person,
) {
  const scopes = records.scopes(current)
  if (scopes.length === 0) throw withoutScopes()
  return issue(settings, {
    workspaceId: current.workspaceId,
    creator,
    name: rotatedName(current.name),
    environment: current.environment,
    scopes,
    replaces: current.id,
  })
}

function rotateAnswer(answer: RotateOutcome, change: RotateChange): RotateOutcome {
  const result = outcomeAnswer(answer, ['rotated', 'already_revoked', 'not_found'])
  if (result.outcome === 'rotated') {
    revokedKey(result.replaced, change)
    keyOf(result.replacement, { workspaceId: change.workspaceId, id: change.replacement.id })
  }
  return result
}

function refusal(outcome: 'already_revoked' | 'not_found'): ApiKeyError {
  return new ApiKeyError(outcome === 'not_found' ? 'key_not_found' : 'key_revoked')
}

function withoutScopes(): ApiKeyError {
  const message = 'none of the scopes of this key is in the catalogue any more.'
  return new ApiKeyError('invalid_input', {
    issues: [{ path: ['id'], code: 'unknown_scope', message }],
  })
}
