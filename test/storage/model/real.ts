import { type ApiKeys, createApiKeys, type DefaultScope, OutageError } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import type { Reference } from './reference.ts'

/** How the next call of a verb fails: before it did anything, or after, on the way back. */
export type FaultKind = 'refused' | 'lost'

/** The library over a real storage, whose next call of a verb can be made to fail. */
export interface Real {
  readonly keys: ApiKeys<DefaultScope>
  /** Past the faults: to look at what is stored. */
  readonly storage: KeyStorage
  readonly faults: Map<string, FaultKind>
  /** Lets time pass without waiting for it. */
  readonly passTime: (ms: number) => void
}

export class InjectedFault extends Error {}

/** `passTime` moves the clock that `performance.now()` reads. */
export function openReal(
  storage: KeyStorage,
  reference: Reference,
  passTime: Real['passTime'],
): Real {
  const faults = new Map<string, FaultKind>()
  const faulty = new Proxy(storage, {
    get:
      (target, verb: keyof KeyStorage) =>
      (...args: never[]) => {
        const kind = faults.get(verb)
        faults.delete(verb)
        const call = () => (target[verb] as (...args: never[]) => unknown).apply(target, args)
        if (kind === 'refused') throw new InjectedFault(verb)
        if (kind === 'lost')
          return Promise.resolve(call()).then(() => Promise.reject(new InjectedFault(verb)))
        return call()
      },
  })
  const keys = createApiKeys({
    storage: faulty,
    entitlements: (workspaceId) => reference.planOf(workspaceId),
    entitlementsTtlMs: reference.ttlMs,
    usageFlushMs: 2 ** 31 - 1,
    now: () => new Date(reference.nowMs),
  })
  return { keys, storage, faults, passTime }
}

/** What a call came to: its answer, the code of a refusal, or `fault` for an injected one. */
export async function outcome<T>(call: Promise<T>): Promise<{ ok: T } | { refused: string }> {
  try {
    return { ok: await call }
  } catch (error) {
    if (error instanceof OutageError && error.cause instanceof InjectedFault) {
      return { refused: 'fault' }
    }
    const code = (error as { code?: unknown }).code
    if (typeof code === 'string') return { refused: code }
    throw error
  }
}
