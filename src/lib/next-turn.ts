/** Resolves in the next turn of the event loop, when all that is due has run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
