import { isIdentifier, isReservedId } from '../../../../src/http/index.ts'
import type { Grantable } from '../../../../src/index.ts'
import { checkMembers } from '../../../../src/lib/known-names.ts'
import { hasProperty, propertyOf } from '../../../../src/lib/own-data.ts'
import type { CheckedContext, ContextAnswer, KeyOperation, ManagementContext } from './call.ts'
import { refusal, refusals } from './refusal.ts'
import { KEY_OPERATIONS } from './wire/key-operations.ts'

const MEMBERS = ['workspaceId', 'user', 'allowedOperations', 'grantable', 'visible'] as const

/**
 * The session in the answer of `context`. Throws a refusal where nobody is signed in or may do this, and
 * a `TypeError` that names the field for a session that cannot be used, whatever the operation is.
 */
export function sessionIn(answer: ContextAnswer): CheckedContext {
  if (answer === null || answer === undefined) throw refusals.unauthenticated()
  if (answer === 'forbidden') throw refusal('forbidden')
  if (typeof answer !== 'object') throw badSession(`it is a ${typeof answer}, but no "forbidden"`)
  const known: ManagementContext = answer
  checkMembers(known, MEMBERS, 'manageKeys: the answer of "context"')
  const user: ManagementContext['user'] = Object(propertyOf(known, 'user'))
  const workspaceId = identifier('workspaceId', propertyOf(known, 'workspaceId'))
  const id = identifier('user.id', propertyOf(user, 'id'))
  if (isReservedId(id)) throw badSession('"user.id" must not begin with "miftah:"')
  return {
    workspaceId,
    user: { id, name: shownName(propertyOf(user, 'name')) || id },
    allowedOperations: operationsIn(propertyOf(known, 'allowedOperations')),
    grant: hasProperty(known, 'grantable')
      ? { grantable: known.grantable as Grantable<never> }
      : {},
    seesOwn: seesOwn(propertyOf(known, 'visible')),
  }
}

function seesOwn(visible: unknown): boolean {
  if (visible === undefined || visible === 'own') return visible === 'own'
  throw badSession('"visible" must be "own" or left out')
}

/**
 * Whether the session may do an operation. Reads are for `context` to refuse. Revoking several keys is
 * revoking each.
 */
export function mayDo(operation: string, { allowedOperations }: CheckedContext): boolean {
  if (operation === 'revokeKeys' && !allowedOperations.includes('revokeKey')) return false
  return !isKeyOperation(operation) || allowedOperations.includes(operation)
}

function identifier(field: string, value: unknown): string {
  if (typeof value === 'string' && isIdentifier(value)) return value
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  const wrong = isNumber
    ? 'is a number: give it as text, String(id)'
    : 'must be 1 to 255 characters without control characters'
  throw badSession(`"${field}" ${wrong}`)
}

/**
 * A name that can be stored, or an empty one, for which the id stands in. It is cleaned and not
 * refused: whatever a user is called, they must be able to revoke a key.
 */
function shownName(name: unknown): string {
  if (name === undefined || name === null) return ''
  if (typeof name !== 'string') throw badSession('"user.name" must be a string')
  const plain = name.replace(/\p{Cc}+/gu, ' ').replace(/\p{Surrogate}/gu, '\uFFFD')
  // In Unicode code points.
  return [...plain.trim()].slice(0, 255).join('').trimEnd()
}

/** Checks which operations the host allows. Ignoring an unknown name would silently withdraw a right. */
function operationsIn(allowed: unknown): readonly KeyOperation[] {
  if (allowed === undefined) return KEY_OPERATIONS
  if (!Array.isArray(allowed)) throw badOperations('something other than a list')
  if (allowed.every(isKeyOperation)) return allowed
  const stranger: unknown = allowed.find((name) => !isKeyOperation(name))
  throw badOperations(typeof stranger === 'string' ? `"${stranger}"` : `a ${typeof stranger}`)
}

function isKeyOperation(name: unknown): name is KeyOperation {
  return KEY_OPERATIONS.some((known) => known === name)
}

function badOperations(found: string): TypeError {
  const known = KEY_OPERATIONS.join(', ')
  return badSession(`"allowedOperations" has ${found}; the operations are ${known}`)
}

function badSession(wrong: string): TypeError {
  return new TypeError(`manageKeys: the answer of "context" cannot be used: ${wrong}.`)
}
