import type { HttpAnswer } from '../../../../src/http/index.ts'
import { type ApiKey, type ApiKeys, OutageError } from '../../../../src/index.ts'
import { OptionChecks } from '../../../../src/lib/option-checks.ts'
import { ownOptions } from '../../../../src/lib/own-data.ts'
import { notify } from '../../../../src/lib/tap.ts'
import { errorReporter } from '../faults/report.ts'
import { isInternal, problemOf } from '../management/problems.ts'
import { secured } from '../secured.ts'
import { type AlertCall, readBytes, readSignature } from './alert-call.ts'
import { type Alert, parseAlerts } from './alerts.ts'
import { feedback } from './feedback.ts'
import { githubKeys } from './github-keys.ts'
import { KeysUnavailable, PublicKeys } from './public-keys.ts'
import { refusals } from './refusals.ts'
import { type Revocation, revokeAll } from './revocations.ts'
import { isSignedBy } from './signature.ts'

/** One place where a key of this host was found. */
export interface LeakedKey<S extends string = string> {
  /** The key as it is now: revoked. */
  readonly key: ApiKey<S>
  /** Where it was found, if GitHub says so. */
  readonly url: string | null
  /** The kind of place, such as `commit` or `issue_comment`. */
  readonly source: string | null
}

/** How `revokeLeakedKeys` works. */
export interface RevokeLeakedKeysOptions<S extends string = string> {
  /**
   * Called for every find after its key has been revoked, so that its owners can be notified; called
   * again when GitHub delivers again. It is not awaited, and what it throws is ignored.
   */
  readonly onLeak?: (leak: LeakedKey<S>) => void | Promise<void>
  /**
   * Returns the JSON of `https://api.github.com/meta/public_keys/secret_scanning`. Default: `fetch`
   * without a token, which GitHub allows 60 times an hour; the list is remembered for an hour, and
   * fetched with its `ETag`.
   */
  readonly fetchKeys?: () => Promise<unknown>
  /**
   * Receives the reason for a 500 (the body was already read) or a 503: keys could not be revoked,
   * once for each delivery, or GitHub's public keys could not be fetched. Also called for alerts
   * without a token. What it throws is ignored. Default: the first failure of each kind is written to
   * standard error, faults only while `createApiKeys` has no `onEvent`.
   */
  readonly onError?: (error: unknown) => void
}

/** Answers deliveries for any host; never rejects. */
export type Receiver = (call: AlertCall) => Promise<HttpAnswer>

/** What a receiver works with. */
interface Work<S extends string> {
  readonly keys: ApiKeys<S>
  readonly publicKeys: PublicKeys
  readonly onLeak: RevokeLeakedKeysOptions<S>['onLeak']
  readonly onError: RevokeLeakedKeysOptions<S>['onError']
}

/** A call is checked in this order: method, headers, size, signature, and only then the body. */
export function createReceiver<S extends string>(
  keys: ApiKeys<S>,
  options: RevokeLeakedKeysOptions<S>,
): Receiver {
  const { onLeak, onError, fetchKeys = githubKeys() } = ownOptions(options)
  const checks = new OptionChecks('revokeLeakedKeys')
  checks.optionalFunction('onLeak', onLeak)
  checks.optionalFunction('onError', onError)
  checks.optionalFunction('fetchKeys', fetchKeys)
  const report = errorReporter(keys, onError)
  const work = { keys, onLeak, onError: report, publicKeys: new PublicKeys(fetchKeys) }
  return async (call) => {
    try {
      return secured(await respond(work, call))
    } catch (error) {
      const unavailable = error instanceof KeysUnavailable
      const answer = unavailable ? refusals.keysUnavailable().answer : problemOf(error)
      if (unavailable || isInternal(answer) || error instanceof OutageError) report(error)
      return secured(answer)
    }
  }
}

async function respond<S extends string>(work: Work<S>, call: AlertCall): Promise<HttpAnswer> {
  if (call.method !== 'POST') throw refusals.methodNotAllowed()
  const signed = readSignature(call)
  const bytes = await readBytes(call)
  const key = await work.publicKeys.find(signed.keyId)
  if (key === null || !(await isSignedBy(key, signed.signature, bytes))) {
    throw refusals.badSignature()
  }
  const { alerts, unreadable } = parseAlerts(bytes)
  const revocations = await revokeAll(work.keys, new Set(alerts.map(({ token }) => token)))
  notifyLeaks(work, alerts, revocations)
  notifyFailures(work, revocations, unreadable)
  return feedback(alerts, revocations)
}

function notifyLeaks<S extends string>(
  { onLeak }: Work<S>,
  alerts: readonly Alert[],
  revocations: Revocations<S>,
): void {
  for (const { token, url, source } of alerts) {
    const revocation = revocations.get(token)
    if (revocation?.outcome !== 'revoked') continue
    notify(onLeak, Object.freeze({ key: revocation.key, url, source }))
  }
}

/** One error for each kind of failure, not for each key: an outage affects thousands at once. */
function notifyFailures<S extends string>(
  { onError }: Work<S>,
  revocations: Revocations<S>,
  unreadable: number,
): void {
  const failed = [...revocations.values()].filter(({ outcome }) => outcome === 'failed')
  const [first] = failed
  if (first?.outcome === 'failed') {
    const message = `${failed.length} of ${revocations.size} leaked secrets could not be revoked.`
    notify(onError, new Error(`revokeLeakedKeys: ${message}`, { cause: first.error }))
  }
  if (unreadable > 0) {
    notify(onError, new Error(`revokeLeakedKeys: alerts without a token: ${unreadable}.`))
  }
}

type Revocations<S extends string> = ReadonlyMap<string, Revocation<S>>
