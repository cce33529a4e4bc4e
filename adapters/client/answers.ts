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
 * What callers rely on in an answer of the management routes. The keys of a list are not checked one by
 * one: an invalid key must not hide the others.
 */

type Is = (value: unknown) => boolean

const isText = (value: unknown): value is string => typeof value === 'string'
const isFlag: Is = (value) => typeof value === 'boolean'
const isCount: Is = (value) => Number.isSafeInteger(value)
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const orNull =
  (is: Is): Is =>
  (value) =>
    value === null || is(value)
const listOf =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(is)
const recordOf =
  (is: Is): Is =>
  (value) =>
    isObject(value) && Object.values(value).every(is)

/** Recognises an object by some of its members. */
function having<T>(members: { readonly [Name in keyof T]?: Is }) {
  const checks = Object.entries<Is | undefined>(members)
  return (value: unknown): value is T =>
    isObject(value) && checks.every(([name, is]) => is?.(Reflect.get(value, name)))
}

/** Whether it is a key, as far as its callers rely on it. */
export const isKey = having<WireKey>({ id: isText })

/** Whether it is a page of keys. */
export const isKeyList = having<KeyListAnswer>({
  keys: Array.isArray,
  nextCursor: orNull(isText),
  activeKeys: isCount,
  countedUpTo: isCount,
  activeKeyLimit: orNull(isCount),
  publicApi: isFlag,
  // Routes of an earlier release say nothing about it.
  allowedOperations: (value) => value === undefined || listOf(isText)(value),
})

/** Whether it is a page of the events of a key. */
export const isKeyEvents = having<KeyEventsAnswer>({
  events: listOf(isObject),
  nextCursor: orNull(isText),
})

const label = recordOf(isText)

const isScope = having<WireScopeGroup['scopes'][number]>({ scope: isText, label })

/** Whether it is a scope catalogue. */
export const isScopes = having<ScopesAnswer>({
  groups: listOf(having<WireScopeGroup>({ id: isText, label, scopes: listOf(isScope) })),
})

const isBucket = having<WireUsageBucket>({
  startsAt: isText,
  endsAt: isText,
  accepted: isCount,
  denied: recordOf(isCount),
})

/** Whether it is a count of requests by hour. */
export const isUsage = having<UsageAnswer>({ buckets: listOf(isBucket) })

const secret: Is = (value) => isText(value) && value !== ''

/** Whether it is a new key with its secret. An odd key is no reason to lose the secret. */
export const isIssued = having<IssuedKeyAnswer>({ key: isKey, secret })

/** Whether it is a replacement with its secret, and the key that it replaces. */
export const isRotated = having<RotatedKeyAnswer>({ key: isKey, secret, replaced: isKey })

/** Whether it says which keys a call has revoked. */
export const isRevokedKeys = having<RevokedKeysAnswer>({
  revoked: isCount,
  skipped: isCount,
  keys: listOf(isKey),
  more: isFlag,
})

/** Whether it is a page of resources. */
export const isResources = having<ResourcesAnswer>({
  resources: listOf(isObject),
  nextCursor: orNull(isText),
})

/** Recognises an answer about this key, in the state that it must be in by now. */
export function answerAbout(id: string, isDone: (key: WireKey) => boolean = () => true) {
  return having<KeyAnswer>({ key: (key) => isKey(key) && key.id === id && isDone(key) })
}

/** Whether a key is revoked: nothing else proves that it has stopped working for good. */
export const isRevoked = ({ status }: WireKey): boolean => status === 'revoked'

/** Whether a key is paused: nothing else proves that it has stopped working. */
export const isPaused = ({ status }: WireKey): boolean => status === 'paused'

const isIssue = having<WireIssue>({
  code: isText,
  message: isText,
  path: listOf((step) => isText(step) || typeof step === 'number'),
})

/** The problems of an answer that have the form of one. */
export function issuesIn(issues: unknown): readonly WireIssue[] {
  return Array.isArray(issues) ? issues.filter(isIssue) : []
}

/** What a key would have beyond the grant, as far as the answer says it. */
export function missingIn(missing: unknown): { readonly missing?: MissingGrant } {
  return isObject(missing) ? { missing: missing as MissingGrant } : {}
}
