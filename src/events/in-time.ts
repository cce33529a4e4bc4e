/**
 * Runs work that may never settle. When `limitMs` are over, its signal is aborted and the promise
 * rejects, whatever becomes of the work. The timer keeps the process alive: the work is under way.
 */
export function inTime(
  work: (signal: AbortSignal) => unknown,
  limitMs: number,
  lateMessage: string,
): Promise<void> {
  const controller = new AbortController()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const late = new Error(lateMessage)
      reject(late)
      controller.abort(late)
    }, limitMs)
    const run = async () => {
      await work(controller.signal)
    }
    run()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
