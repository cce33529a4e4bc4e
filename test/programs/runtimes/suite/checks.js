/** Runs a group of checks and answers what came of it, as data. */
export async function runGroup(name, checks) {
  const failures = []
  let passed = 0
  for await (const [what, run] of checks) {
    try {
      await run()
      passed += 1
    } catch (error) {
      failures.push(`${what}: ${error?.stack ?? error}`)
    }
  }
  return { name, passed, failures }
}

/** Throws unless both are the same as JSON. */
export function same(actual, expected) {
  const [got, wanted] = [actual, expected].map((value) => JSON.stringify(value))
  if (got !== wanted) throw new Error(`got ${got}, wanted ${wanted}`)
}

/** What a promise rejects with; throws when it does not. */
export async function rejection(promise) {
  const unexpected = (value) => Promise.reject(`expected a rejection, got ${JSON.stringify(value)}`)
  return promise.then(unexpected, (error) => error)
}
