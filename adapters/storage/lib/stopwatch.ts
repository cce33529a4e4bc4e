/** Begins to measure time; the function answers how many whole milliseconds have passed. */
export function stopwatch(): () => number {
  const startMs = performance.now()
  const fromMs = Date.now()
  // While a machine is suspended, the monotonic clock of Linux stands still.
  return () => Math.floor(Math.max(performance.now() - startMs, Date.now() - fromMs))
}
