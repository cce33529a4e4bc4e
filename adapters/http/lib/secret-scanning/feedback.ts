import { type HttpAnswer, problem } from '../../../../src/http/index.ts'
import type { Alert } from './alerts.ts'
import type { Revocation } from './revocations.ts'

/** The outcome of each secret. */
type Revocations<S extends string> = ReadonlyMap<string, Revocation<S>>

/**
 * The answer to a delivery: the list that GitHub asks for, or 503 with the outcome of each secret when
 * one failed, so that the alerts are delivered again.
 */
export async function feedback<S extends string>(
  alerts: readonly Alert[],
  revocations: Revocations<S>,
): Promise<HttpAnswer> {
  const outcomes = await Promise.all(alerts.map((alert) => outcomeOf(alert, revocations)))
  if (outcomes.some(({ outcome }) => outcome === 'failed')) return unfinished(outcomes)
  const body = outcomes.map(({ outcome, ...find }) => ({
    ...find,
    label: outcome === 'revoked' ? 'true_positive' : 'false_positive',
  }))
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

function unfinished(alerts: readonly object[]): HttpAnswer {
  const detail = 'Not every key could be revoked. Deliver the alerts again.'
  return problem(503, { code: 'storage_unavailable', detail, alerts }, { 'retry-after': '1' })
}

/** GitHub identifies a secret by its hash. */
async function outcomeOf<S extends string>({ token, type }: Alert, revocations: Revocations<S>) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  const digits = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'))
  const outcome = revocations.get(token)?.outcome ?? 'failed'
  return { token_hash: digits.join(''), token_type: type, outcome }
}
