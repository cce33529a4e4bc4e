import { ApiKeyError, type FaultEvent, OutageError } from '../../../src/index.ts'
import { causeOf } from './causes.ts'
import { forLog, outlineOf, textIn } from './facts.ts'

/** Messages of miftah's own errors, which repeat nothing of a request. */
const OWN_MESSAGE =
  /^(?:(?:manageKeys|introspectKeys|forwardAuth|createApiKeys): |grantable |The option "(?:resource|clientAddress)" |isSecure must return |entitlements(?: must answer |: )|The storage (?:answered with|refused to count) |The limiter (?:must answer|answered an (?:invalid|unknown)) |The lease ended: |no answer in \d+ ms$|Too many changes wait |Format "[a-z0-9-]+": "digest" must return |onDenied must return )/

/** A failure in words. A storage's failures of one kind differ in their operation or in details. */
export interface Failure {
  readonly kind: string
  readonly sentence: string
}

/**
 * A fault of the storage, of a function of the host or of the cache's lease in words: what an `OutageError` says,
 * and why. A storage's failure that is known says what to do instead.
 */
export function faultInWords(fault: Pick<FaultEvent, 'operation' | 'error'>): Failure {
  const { operation } = fault
  const error = reasonOf(fault.error)
  const { message } = new OutageError(operation, error)
  const why = withoutStop(about(error))
  const sentence = `${withoutStop(message)}: ${why}.`
  if (!message.startsWith('The key storage failed')) return { kind: sentence, sentence }
  const cause = isNamed('StorageError', error)
    ? // The driver's error says more than that of a storage, whose message is a sentence already.
      (causeOf(error.cause) ?? causeOf({ code: textIn(error, 'code') }))
    : causeOf(error)
  if (cause === undefined) return { kind: why, sentence }
  const { wrong, advice } = cause
  const detail = detailOf(error)
  const found = detail === '' ? wrong : `${wrong} (${detail})`
  return { kind: wrong, sentence: `The key storage cannot be used: ${found}; ${advice}.` }
}

/** A failure of the host behind management routes or endpoints in words. */
export function hostFailureInWords(error: unknown): Failure {
  const sentence = `A request was answered with an error: ${withoutStop(about(error))}.`
  return { kind: sentence, sentence }
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '')
}

/** Why the outcome of a change is unknown, where that is known. */
function reasonOf(error: unknown): unknown {
  const { code, cause = error } = Object(error)
  return code === 'outcome_unknown' && !isNamed('StorageError', error) ? cause : error
}

/** The message of the server, the network or SQLite; storages remove quoted rows and parameters. */
function detailOf(error: unknown): string {
  if (!isNamed('StorageError', error)) return ''
  const code = textIn(error.cause, 'code')
  const message = textIn(error.cause, 'message')
  if (/SQLITE/.test(code)) return forLog(error.message)
  const isNews = code !== '' && code !== 'ERR_MODULE_NOT_FOUND' && message !== 'no message'
  return isNews ? forLog(message) : ''
}

function about(error: unknown): string {
  if (error instanceof ApiKeyError) return aboutContext(error)
  const message = textIn(error, 'message')
  if (isNamed('KeysUnavailable', error)) return `${withoutStop(message)}: ${about(error.cause)}`
  return isNamed('StorageError', error) || OWN_MESSAGE.test(message)
    ? forLog(message)
    : outlineOf(error)
}

/** Other issues of such an input may name what a client sent. */
function aboutContext({ code, issues }: ApiKeyError): string {
  const own = issues.filter(({ path }) => /^(workspaceId|creator|actor)$/.test(`${path[0]}`))
  const names = own.map(({ path, message }) => `${path.join('.')} ${message}`)
  return [`manageKeys: "context" gave an invalid workspace or user (${code})`, ...names].join(', ')
}

function isNamed(name: string, error: unknown): error is Error {
  return error instanceof Error && error.name === name
}
