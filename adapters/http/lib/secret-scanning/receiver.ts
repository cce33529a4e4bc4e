import type { ApiKey, ApiKeys, HttpAnswer } from '../../../../src/index.ts'
import { type Alert, parseAlerts } from '../../secret-scanning/alerts.ts'
import { fetchFromGitHub, KeysUnavailable, PublicKeys } from '../../secret-scanning/public-keys.ts'
import { isInternal, problemOf } from '../management/problems.ts'
import { secured } from '../secured.ts'
import { tell } from '../tell.ts'
import { type AlertCall, readBytes, type SignatureLines, signatureLines } from './alert-call.ts'
import { refusals } from './refusals.ts'
import { isSignedBy } from './signature.ts'

/** One place where a key of this host was found. */
export interface LeakedKey<S extends string = string> {
  /** The key as it is now: revoked. */
  readonly key: ApiKey<S>
  /** Where it was found, if GitHub says so. */
  readonly url: string | null
  /** What kind of place that is, as `commit` or `issue_comment`. */
  readonly source: string | null
}

/** How `revokeLeakedKeys` works. */
export interface RevokeLeakedKeysOptions<S extends string = string> {
  /**
   * Told of every find after its key has been revoked, to let its people know: twice when GitHub
   * tells twice. It is not waited for, and what it throws is ignored.
   */
  readonly onLeak?: (leak: LeakedKey<S>) => void | Promise<void>
  /**
   * Answers the JSON of `https://api.github.com/meta/public_keys/secret_scanning`. Default: `fetch`
   * without a token, which GitHub allows 60 times an hour; the list is remembered for an hour.
   */
  readonly fetchKeys?: () => Promise<unknown>
  /** Told why an alert was answered with 500, or with 503 for want of GitHub's keys. */
  readonly onError?: (error: unknown) => void
}

/** Answers deliveries for any host; never rejects. */
export type Receiver = (call: AlertCall) => Promise<HttpAnswer>

/** In the audit log, who has revoked a key. */
const ACTOR = Object.freeze({ id: 'github-secret-scanning', name: 'GitHub secret scanning' })

/** How many keys are revoked at a time. */
const BATCH = 16

/** What a receiver works with. */
interface Work<S extends string> {
  readonly keys: ApiKeys<S>
  readonly publicKeys: PublicKeys
  readonly onLeak: RevokeLeakedKeysOptions<S>['onLeak']
}

/** The order of a call: method, headers, size, signature, and only then what the body says. */
export function createReceiver<S extends string>(
  keys: ApiKeys<S>,
  options: RevokeLeakedKeysOptions<S>,
): Receiver {
  const { onLeak, onError, fetchKeys = () => fetchFromGitHub() } = options
  demandFunctions({ onLeak, onError, fetchKeys })
  const work = { keys, onLeak, publicKeys: new PublicKeys(fetchKeys) }
  return async (call) => {
    try {
      return secured(await respond(work, call))
    } catch (error) {
      const unavailable = error instanceof KeysUnavailable
      const answer = unavailable ? refusals.keysUnavailable().answer : problemOf(error)
      if (unavailable || isInternal(answer)) tell(onError, error)
      return secured(answer)
    }
  }
}

function demandFunctions(options: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && typeof value !== 'function') {
      throw new TypeError(`revokeLeakedKeys: option "${name}" must be a function.`)
    }
  }
}

async function respond<S extends string>(work: Work<S>, call: AlertCall): Promise<HttpAnswer> {
  if (call.method !== 'POST') throw refusals.methodNotAllowed()
  const lines = signatureLines(call)
  const bytes = await readBytes(call)
  await demandSignature(work.publicKeys, lines, bytes)
  const alerts = parseAlerts(bytes)
  const leaked = await revokeAll(work.keys, new Set(alerts.map(({ token }) => token)))
  for (const { token, url, source } of alerts) {
    const key = leaked.get(token)
    if (key !== undefined) tell(work.onLeak, Object.freeze({ key, url, source }))
  }
  return json(await Promise.all(alerts.map((alert) => feedback(alert, leaked.has(alert.token)))))
}

async function demandSignature(
  publicKeys: PublicKeys,
  { keyId, signature }: SignatureLines,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const key = await publicKeys.find(keyId)
  if (key === null || !(await isSignedBy(key, signature, bytes))) throw refusals.badSignature()
}

/** The keys of those secrets that are secrets, all revoked. One that fails does not stop its batch. */
async function revokeAll<S extends string>(
  keys: ApiKeys<S>,
  secrets: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ApiKey<S>>> {
  const leaked = new Map<string, ApiKey<S>>()
  const rest = [...secrets]
  while (rest.length > 0) {
    const outcomes = await Promise.allSettled(
      rest.splice(0, BATCH).map(async (secret) => {
        const key = await revokeSecret(keys, secret)
        if (key !== null) leaked.set(secret, key)
      }),
    )
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
  return leaked
}

async function revokeSecret<S extends string>(
  keys: ApiKeys<S>,
  secret: string,
): Promise<ApiKey<S> | null> {
  const key = await keys.findKeyBySecret(secret)
  if (key === null) return null
  const { workspaceId, id } = key
  return keys.revokeKey({ workspaceId, id, actor: ACTOR })
}

/** What GitHub asks for: whether its find was a key. It takes the hash in place of the secret. */
async function feedback({ token, type }: Alert, isKey: boolean) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  const digits = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'))
  const label = isKey ? 'true_positive' : 'false_positive'
  return { token_hash: digits.join(''), token_type: type, label }
}

function json(body: unknown): HttpAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}
