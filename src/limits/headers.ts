import type { LimiterPolicy } from '../model/limiter.ts'

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers §§3, 4): Lists of Strings
 * with Integer parameters in the syntax of RFC 9651. Without policies there are no headers. Partition
 * keys are left out: they would name the workspace.
 */
export function limitHeaders(
  policies: readonly LimiterPolicy[] | undefined,
): Readonly<Record<string, string>> {
  if (policies === undefined || policies.length === 0) return {}
  return {
    'ratelimit-policy': policies
      .map(
        ({ name, limit, windowSeconds }) => `"${name}";q=${limit}${parameter('w', windowSeconds)}`,
      )
      .join(', '),
    ratelimit: policies
      .map(
        ({ name, remaining, resetSeconds }) =>
          `"${name}";r=${remaining}${parameter('t', resetSeconds)}`,
      )
      .join(', '),
  }
}

function parameter(name: string, value: number | undefined): string {
  return value === undefined ? '' : `;${name}=${value}`
}
