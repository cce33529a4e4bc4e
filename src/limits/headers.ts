import type { LimiterPolicy } from '../model/limiter.ts'

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers §§3, 4): Lists of Strings with
 * Integer parameters in the syntax of RFC 9651. Without policies there are no headers. Partition keys are
 * left out: they would name the workspace.
 */
export function limitHeaders(
  policies: readonly LimiterPolicy[] | undefined,
): Readonly<Record<string, string>> {
  if (policies === undefined || policies.length === 0) return {}
  const quotas = policies.map(
    ({ name, limit, windowSeconds }) => `"${name}";q=${limit}${parameter('w', windowSeconds)}`,
  )
  const states = policies.map(
    ({ name, remaining, resetSeconds }) =>
      `"${name}";r=${remaining}${parameter('t', resetSeconds)}`,
  )
  return { 'ratelimit-policy': quotas.join(', '), ratelimit: states.join(', ') }
}

/**
 * `Retry-After` of a refused request, in seconds: at least 1, and not before the reset of the policy with the
 * fewest calls left, which is one that refused (draft-ietf-httpapi-ratelimit-headers-11 §6).
 */
export function retryAfterSeconds(
  retryAfterMs: number,
  policies: readonly LimiterPolicy[],
): number {
  const fewest = Math.min(...policies.map(({ remaining }) => remaining))
  const resets = policies
    .filter(({ remaining }) => remaining === fewest)
    .map(({ resetSeconds = 0 }) => resetSeconds)
  return Math.max(1, Math.ceil(retryAfterMs / 1_000), ...resets)
}

function parameter(name: string, value: number | undefined): string {
  return value === undefined ? '' : `;${name}=${value}`
}
