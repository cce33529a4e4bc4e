import type { Plan } from '../plans/entitlements.ts'
import { LATEST_INSTANT_MS } from './input/instants.ts'
import { type Problem, refuseField } from './input/parse.ts'

type LifetimePolicy = Pick<Plan, 'maxLifetimeSeconds'>

/**
 * When a new key expires, in milliseconds since the epoch: as `wanted` says (`null`: never), or else as late
 * as the plan allows. Throws `invalid_input` for what the plan forbids.
 */
export function newExpiry(
  policy: LifetimePolicy,
  createdAtMs: number,
  wanted: Date | null | undefined,
): number | null {
  if (wanted === undefined) return latestExpiry(policy, createdAtMs)
  const expiresAtMs = wanted?.getTime() ?? null
  refuseField(['expiresAt'], lifetimeProblem(policy, createdAtMs, expiresAtMs))
  return expiresAtMs
}

/** The latest instant at which a key made at `createdAtMs` expires; `null` if it may live for ever. */
export function latestExpiry(
  { maxLifetimeSeconds }: LifetimePolicy,
  createdAtMs: number,
): number | null {
  if (maxLifetimeSeconds === null) return null
  return Math.min(createdAtMs + maxLifetimeSeconds * 1_000, LATEST_INSTANT_MS)
}

/** What is wrong with the expiry of a key made at `createdAtMs`, if the plan forbids it. */
export function lifetimeProblem(
  policy: LifetimePolicy,
  createdAtMs: number,
  expiresAtMs: number | null,
): Problem | null {
  const latestMs = latestExpiry(policy, createdAtMs)
  if (latestMs === null) return null
  if (expiresAtMs === null) return { code: 'required', message: 'is required by the plan.' }
  if (expiresAtMs <= latestMs) return null
  return { code: 'out_of_range', message: 'must not be later than the plan allows.' }
}
