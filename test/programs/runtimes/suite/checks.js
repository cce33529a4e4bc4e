/** One group of checks on its way: each has a name, and throws where something is not as it should be. */
export class Group {
  constructor(name) {
    this.name = name
    this.passed = 0
    this.failures = []
  }

  async check(name, run) {
    try {
      await run()
      this.passed += 1
    } catch (error) {
      this.failures.push(`${name}: ${error?.stack ?? error}`)
    }
  }
}

/** Runs a group and answers what came of it, as data. */
export async function runGroup(name, fill) {
  const group = new Group(name)
  try {
    await fill(group)
  } catch (error) {
    group.failures.push(`could not go on: ${error?.stack ?? error}`)
  }
  return { name, passed: group.passed, failures: group.failures }
}

/** Throws unless both are the same as JSON. */
export function same(actual, expected, what = 'value') {
  const [got, wanted] = [actual, expected].map((value) => JSON.stringify(value))
  if (got !== wanted) throw new Error(`${what}: got ${got}, wanted ${wanted}`)
}

/** Throws unless it holds. */
export function holds(condition, what) {
  if (!condition) throw new Error(`does not hold: ${what}`)
}

/** What a promise rejects with; throws when it does not. */
export async function rejection(promise) {
  let value
  try {
    value = await promise
  } catch (error) {
    return error
  }
  throw new Error(`expected a rejection, got ${JSON.stringify(value)}`)
}
