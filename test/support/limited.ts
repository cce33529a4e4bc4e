import { withinTime } from '../../src/lib/within-time.ts'
import type { KeyStorage } from '../../src/storage/index.ts'

/** The storage as `createApiKeys` calls it: every call has this many milliseconds. */
export function limited<T extends KeyStorage>(storage: T, timeoutMs: number): T {
  return new Proxy(storage, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...given: unknown[]) =>
        withinTime<unknown>({ timeoutMs }, (call) =>
          Reflect.apply(method, target, [...given, call]),
        )
    },
  })
}
