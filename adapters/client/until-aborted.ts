/**
 * Waits for work that takes no signal. Rejects with the signal's reason as soon as it is aborted.
 */
export async function untilAborted<T>(
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return work()
  signal.throwIfAborted()
  const heard = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    const options = { once: true, signal: heard.signal }
    signal.addEventListener('abort', () => reject(signal.reason), options)
  })
  try {
    return await Promise.race([work(), aborted])
  } finally {
    heard.abort()
  }
}
