import type { MissingGrant } from '../../src/model/grant.ts'
import type {
  IssuedKeyAnswer,
  KeyAnswer,
  KeyListAnswer,
  ResourcesAnswer,
  RevokedKeysAnswer,
  RotatedKeyAnswer,
  ScopesAnswer,
  UsageAnswer,
  WireScopeGroup,
  WireUsageBucket,
} from '../http/lib/management/wire/answers.ts'
import type { KeyEventsAnswer } from '../http/lib/management/wire/events.ts'
import type { WireKey } from '../http/lib/management/wire/key.ts'
import type { WireIssue } from '../http/lib/management/wire/problems.ts'

/*
 * Checks what callers rely on in an answer of the management routes. The keys of a list are not
 * checked one by one: an invalid key must not hide the others.
 */

type Unknown<T> = { readonly [Field in keyof T]?: unknown }

/** Whether it is a page of keys. */
export function isKeyList(answer: unknown): answer is KeyListAnswer {
  if (!isObject<KeyListAnswer>(answer)) return false
  const { keys, nextCursor, activeKeys, activeKeyLimit, publicApi, allowedOperations } = answer
  return (
    Array.isArray(keys) &&
    isCursor(nextCursor) &&
    isCount(activeKeys) &&
    (activeKeyLimit === null || isCount(activeKeyLimit)) &&
    typeof publicApi === 'boolean' &&
    // Routes of an earlier release say nothing about it.
    (allowedOperations === undefined || isListOf(allowedOperations, isText))
  )
}

/** Whether it is a page of the events of a key. */
export function isKeyEvents(answer: unknown): answer is KeyEventsAnswer {
  return (
    isObject<KeyEventsAnswer>(answer) &&
    isListOf(answer.events, isObject) &&
    isCursor(answer.nextCursor)
  )
}

function isCursor(cursor: unknown): boolean {
  return cursor === null || isText(cursor)
}

/** Whether it is a scope catalogue. */
export function isScopes(answer: unknown): answer is ScopesAnswer {
  return isObject<ScopesAnswer>(answer) && isListOf(answer.groups, isGroup)
}

/** Whether it is a count of requests by hour or day. */
export function isUsage(answer: unknown): answer is UsageAnswer {
  return (
    isObject<UsageAnswer>(answer) &&
    isText(answer.by) &&
    isText(answer.timeZone) &&
    isListOf(answer.buckets, isBucket)
  )
}

function isBucket(bucket: unknown): boolean {
  if (!isObject<WireUsageBucket>(bucket)) return false
  const { startsAt, endsAt, accepted, denied } = bucket
  return (
    isText(startsAt) &&
    isText(endsAt) &&
    isCount(accepted) &&
    isObject(denied) &&
    Object.values(denied).every(isCount)
  )
}

/** Whether it is a new key with its secret. An odd key is no reason to lose the secret. */
export function isIssued(answer: unknown): answer is IssuedKeyAnswer {
  return (
    isObject<IssuedKeyAnswer>(answer) &&
    isKey(answer.key) &&
    isText(answer.secret) &&
    answer.secret !== ''
  )
}

/** Whether it is a replacement with its secret, and the key that it replaces. */
export function isRotated(answer: unknown): answer is RotatedKeyAnswer {
  return isObject<RotatedKeyAnswer>(answer) && isKey(answer.replaced) && isIssued(answer)
}

/** Whether it says which keys a call has revoked. */
export function isRevokedKeys(answer: unknown): answer is RevokedKeysAnswer {
  if (!isObject<RevokedKeysAnswer>(answer)) return false
  const { revoked, skipped, keys, more } = answer
  return isCount(revoked) && isCount(skipped) && isListOf(keys, isKey) && typeof more === 'boolean'
}

/** Whether it is a page of resources. */
export function isResources(answer: unknown): answer is ResourcesAnswer {
  return (
    isObject<ResourcesAnswer>(answer) &&
    isListOf(answer.resources, isObject) &&
    isCursor(answer.nextCursor)
  )
}

/** Recognises an answer about this key, in the state that it must be in by now. */
export function answerAbout(id: string, isDone: (key: WireKey) => boolean = () => true) {
  return (answer: unknown): answer is KeyAnswer =>
    isObject<KeyAnswer>(answer) && isKey(answer.key) && answer.key.id === id && isDone(answer.key)
}

/** Whether a key is revoked: nothing else proves that it has stopped working for good. */
export function isRevoked({ status }: WireKey): boolean {
  return status === 'revoked'
}

/** Whether a key is paused: nothing else proves that it has stopped working. */
export function isPaused({ status }: WireKey): boolean {
  return status === 'paused'
}

/** The problems of an answer that have the form of one. */
export function issuesIn(issues: unknown): readonly WireIssue[] {
  return Array.isArray(issues) ? issues.filter(isIssue) : []
}

/** What a key would have beyond the grant, as far as the answer says it. */
export function missingIn(missing: unknown): { readonly missing?: MissingGrant } {
  return isObject<MissingGrant>(missing) ? { missing: missing as MissingGrant } : {}
}

function isIssue(issue: unknown): issue is WireIssue {
  return (
    isObject<WireIssue>(issue) &&
    isText(issue.code) &&
    isText(issue.message) &&
    isListOf(issue.path, (step) => isText(step) || typeof step === 'number')
  )
}

/** Whether it is a key, as far as its callers rely on it. */
export function isKey(key: unknown): key is WireKey {
  return isObject<WireKey>(key) && isText(key.id)
}

function isGroup(group: unknown): boolean {
  return (
    isObject<WireScopeGroup>(group) &&
    isText(group.id) &&
    isLabel(group.label) &&
    isListOf(group.scopes, isScope)
  )
}

function isScope(scope: unknown): boolean {
  return (
    isObject<WireScopeGroup['scopes'][number]>(scope) && isText(scope.scope) && isLabel(scope.label)
  )
}

function isLabel(label: unknown): boolean {
  return isObject(label) && Object.values(label).every(isText)
}

function isListOf(list: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(list) && list.every(isItem)
}

function isObject<T>(value: unknown): value is Unknown<T> {
  return typeof value === 'object' && value !== null
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value)
}
