/** Whether a verdict is yet to come. */
export function isPromise<T extends object>(verdict: T | Promise<T>): verdict is Promise<T> {
  return 'then' in verdict
}
