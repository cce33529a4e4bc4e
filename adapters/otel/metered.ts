import type { Meter } from '@opentelemetry/api'
import type { ApiKeysOptions, Authentication, DefaultScope } from '../../src/index.ts'
import { type KeyStorage, STORAGE_METHODS } from '../../src/storage/index.ts'

/**
 * The options of `createApiKeys`, metered:
 *
 * - `miftah.authentications` counts answers of `authenticate` by `miftah.outcome` (`accepted`,
 *   `denied`) and, for denials, `miftah.reason`.
 * - `miftah.call.duration` is the time in seconds of each storage method and of `entitlements`, by
 *   `miftah.operation` and, where it failed, `error.type`.
 *
 * An `onAuthentication` of your own is still called. There are no spans and no identifiers.
 *
 * @example
 * ```ts
 * import { metrics } from '@opentelemetry/api'
 * import { createApiKeys, plans } from 'miftah'
 * import { memoryStorage } from 'miftah/memory'
 * import { meterCache, metered } from 'miftah/otel'
 *
 * const meter = metrics.getMeter('miftah')
 * const options = { storage: memoryStorage(), entitlements: () => plans.business }
 * const keys = createApiKeys(metered(options, meter))
 * const stop = meterCache(keys, meter)
 * ```
 */
export function metered<S extends string = DefaultScope>(
  options: ApiKeysOptions<S>,
  meter: Meter,
): ApiKeysOptions<S> {
  const own: typeof options = Object.assign(Object.create(null), options)
  const { storage, entitlements, onAuthentication = () => {} } = own
  const authentications = meter.createCounter('miftah.authentications', {
    description: 'Answers of authenticate.',
    unit: '{authentication}',
  })
  const timed = timer(meter)
  const counted: typeof onAuthentication = (answer) => {
    authentications.add(1, outcomeOf(answer))
    return onAuthentication(answer)
  }
  // What `createApiKeys` will refuse is left to it.
  return {
    ...own,
    storage: timedStorage(storage, timed),
    entitlements: isFunction(entitlements) ? timed('entitlements', entitlements) : entitlements,
    onAuthentication: isFunction(onAuthentication) ? counted : onAuthentication,
  }
}

function outcomeOf<S extends string>(answer: Authentication<S>) {
  if (answer.ok) return { 'miftah.outcome': 'accepted' }
  return { 'miftah.outcome': 'denied', 'miftah.reason': answer.reason }
}

/** From half a millisecond, a lookup on the same machine, to the default of `storageTimeoutMs`. */
const BOUNDARIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

type Timed = <A extends readonly unknown[], R>(
  operation: string,
  call: (...args: A) => R | Promise<R>,
) => (...args: A) => Promise<R>

function timer(meter: Meter): Timed {
  const durations = meter.createHistogram('miftah.call.duration', {
    description: 'Time of a call of the storage or of entitlements.',
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  })
  return (operation, call) =>
    async (...args) => {
      const startMs = performance.now()
      let failed = {}
      try {
        return await call(...args)
      } catch (error) {
        failed = { 'error.type': errorType(error) }
        throw error
      } finally {
        const seconds = (performance.now() - startMs) / 1_000
        durations.record(seconds, { 'miftah.operation': operation, ...failed })
      }
    }
}

/** The code of a `StorageError`, or `other`: a message would make a series of its own. */
function errorType(error: unknown): string {
  const { name, code } = Object(error)
  return name === 'StorageError' && typeof code === 'string' ? code : 'other'
}

/** The same storage with its methods timed. Its other members stay as they are. */
function timedStorage(storage: KeyStorage, timed: Timed): KeyStorage {
  if (typeof storage !== 'object' || storage === null) return storage
  const methods = STORAGE_METHODS.filter((name) => isFunction(storage[name])).map((name) => {
    const call = (...args: unknown[]): unknown => Reflect.apply(storage[name], storage, args)
    return [name, timed(name, call)]
  })
  const { changes, batchKeys } = storage
  const others = Object.entries({ changes, batchKeys }).filter(([, value]) => value !== undefined)
  return Object.fromEntries([...methods, ...others])
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}
