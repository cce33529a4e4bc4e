/** The time that a storage method has. */
export interface StorageCall {
  /** Milliseconds from the call to its answer. */
  readonly timeoutMs: number
  /** Aborted just before the caller stops waiting: the last moment to state the outcome of a change. */
  readonly signal: AbortSignal
}

export interface Limit {
  readonly timeoutMs: number
  /** Whether the wait keeps the process running. Default `false`. */
  readonly keepsAlive?: boolean
  /** The message of the rejection. */
  readonly message?: string
  /**
   * How an answer that arrives after the end is treated: a read's is `refused`. Default: it is used, since it says
   * how a change ended.
   */
  readonly lateAnswer?: 'refused'
}

/**
 * Runs work that may hang. When the time is over, the signal of its call is aborted, and the promise rejects one
 * turn later, so that work that listens to the signal can state its outcome. An answer that has arrived by then
 * is used, unless late answers are refused.
 */
export function withinTime<T>(
  limit: Limit,
  work: (call: StorageCall) => T | Promise<T>,
): T | Promise<T> {
  const call = new TimedCall(limit.timeoutMs)
  const answer = work(call)
  // Only a promise can be late: a timer for each synchronous answer would be wasted.
  return isPromise(answer) ? untilLate(answer, call, limit) : answer
}

function untilLate<T>(
  answer: Promise<T>,
  call: TimedCall,
  { timeoutMs, keepsAlive = false, message = `no answer in ${timeoutMs} ms`, lateAnswer }: Limit,
): Promise<T> {
  const endMs = performance.now() + timeoutMs
  const isRefused = lateAnswer === 'refused'
  return new Promise((resolve, reject) => {
    const end = () => {
      const late = new Error(message)
      call.abort(late)
      setTimeout(() => reject(late), 0)
    }
    const nextTurn = () => {
      timer = setTimeout(end, 0)
    }
    let timer = setTimeout(isRefused ? end : nextTurn, timeoutMs)
    if (!keepsAlive) unref(timer)
    answer.then(
      (value) => {
        clearTimeout(timer)
        if (isRefused && performance.now() > endMs) reject(new Error(message))
        else resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

/** A call whose `AbortController` is made when its signal is first read, or when the time is over. */
class TimedCall implements StorageCall {
  readonly timeoutMs: number
  // Initialising a #private field would cost a tenth of an authentication in memory on Node 20.
  private controller: AbortController | null = null

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    return this.controller.signal
  }

  abort(reason: Error): void {
    this.controller ??= new AbortController()
    this.controller.abort(reason)
  }
}

export function isPromise<T>(answer: T | Promise<T>): answer is Promise<T> {
  return typeof answer === 'object' && answer !== null && 'then' in answer
}

/** Lets the process end while the timer waits, on runtimes that keep it running otherwise. */
export function unref(timer: ReturnType<typeof setTimeout>): void {
  const { unref } = timer as { readonly unref?: () => void }
  unref?.call(timer)
}

/** Resolves in the next turn of the event loop, when all that is due has run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
