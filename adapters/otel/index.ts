/**
 * Metrics of OpenTelemetry: how many requests were accepted and refused and why, how long the storage
 * takes, and how the cache does. No metric names a key, a workspace or a user.
 *
 * @module miftah/otel
 */

export { meterCache } from './meter-cache.ts'
export { metered } from './metered.ts'
