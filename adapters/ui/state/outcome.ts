const patienceMs = 30_000

/**
 * Waits for a change, and says when it takes so long that its outcome must be called unknown. The
 * request is never given up: its answer still counts whenever it comes.
 */
export async function withPatience<T>(change: Promise<T>, onLate: () => void): Promise<T> {
  const timer = setTimeout(onLate, patienceMs)
  try {
    return await change
  } finally {
    clearTimeout(timer)
  }
}
