import type { ApiKey, Person } from '../api-key.ts'
import type { Context } from '../context.ts'
import { ApiKeyError } from '../errors.ts'
import { parseInput } from '../input/parse.ts'
import type { KeyRecord } from '../storage/contract.ts'
import { rotationEvent } from './audit.ts'
import type { IssuedKey } from './create-key.ts'
import { issue } from './issue.ts'
import { demandKeyId } from './key-id.ts'
import { rotatedName } from './rotated-name.ts'

/** Which key to rotate or revoke, and who does it. */
export interface KeyAction {
  readonly workspaceId: string
  readonly id: string
  readonly actor: Person
}

/** The replacement, its secret, and the key it replaced, now revoked. */
export interface RotatedKey<S extends string = string> extends IssuedKey<S> {
  readonly replaced: ApiKey<S>
}

/** Revokes an active key and issues its replacement in one step. */
export async function rotateKey<S extends string>(
  context: Context<S>,
  input: KeyAction,
): Promise<RotatedKey<S>> {
  const { workspaceId, id, actor } = parseInput(context.schemas.action, input)
  demandKeyId(id)
  const { publicApi } = await context.entitlements(workspaceId)
  const { storage } = context.settings
  const current = await context.ask('findById', () => storage.findById(workspaceId, id))
  if (current === null) throw new ApiKeyError('key_not_found')
  if (!publicApi) throw new ApiKeyError('plan_required')
  if (current.revokedAtMs !== null) throw new ApiKeyError('key_revoked')
  const { record: replacement, secret } = replacementOf(context, current, actor)
  const event = rotationEvent(current, replacement, actor)
  const revokedAtMs = replacement.createdAtMs
  const change = { workspaceId, id, revokedAtMs, event, replacement }
  const result = await context.ask('rotate', () => storage.rotate(change))
  if (result.outcome !== 'rotated') throw refusal(result.outcome)
  context.announce(event)
  const { records } = context
  return Object.freeze({
    key: records.read(result.replacement),
    secret,
    replaced: records.read(result.replaced),
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
  const scopes = records.scopesOf(current)
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

function refusal(outcome: 'already_revoked' | 'not_found'): ApiKeyError {
  return new ApiKeyError(outcome === 'not_found' ? 'key_not_found' : 'key_revoked')
}

function withoutScopes(): ApiKeyError {
  const message = 'none of the scopes of this key is in the catalogue any more.'
  return new ApiKeyError('invalid_input', {
    issues: [{ path: ['id'], code: 'unknown_scope', message }],
  })
}
