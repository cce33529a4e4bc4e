import type { StorageCall } from '../../../src/storage/index.ts'

export interface Deadline {
  /** An instant of `performance.now()`; `Infinity` for a call without a limit. */
  readonly atMs: number
  /** Aborted at that instant, for calls that must answer then. */
  readonly signal?: AbortSignal
}

/** The deadline of a call that begins now. */
export function deadlineOf(call: StorageCall | undefined): Deadline {
  if (call === undefined) return { atMs: Number.POSITIVE_INFINITY }
  return { atMs: performance.now() + call.timeoutMs, signal: call.signal }
}

/** The same as `work`, or the rejection with `reason()` as soon as the signal is aborted. */
export function untilAborted<T>(
  signal: AbortSignal | undefined,
  work: Promise<T>,
  reason: () => Error,
): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const abort = () => reject(reason())
    if (signal.aborted) abort()
    const callbacks = callbacksOf(signal)
    callbacks.add(abort)
    work.then(resolve, reject).finally(() => callbacks.delete(abort))
  })
}

const CALLBACKS = new WeakMap<AbortSignal, Set<() => void>>()

/** What is called when the signal is aborted, with one listener for all: Node warns of more than ten on a signal. */
function callbacksOf(signal: AbortSignal): Set<() => void> {
  const known = CALLBACKS.get(signal)
  if (known !== undefined) return known
  const callbacks = new Set<() => void>()
  CALLBACKS.set(signal, callbacks)
  signal.addEventListener('abort', () => {
    for (const abort of callbacks) abort()
  })
  return callbacks
}
