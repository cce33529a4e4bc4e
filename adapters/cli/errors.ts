import { ApiKeyError, OutageError } from '../../src/index.ts'
import { mayHaveChanged } from '../lib/faults/may-have-changed.ts'

/** A command line or a config module that cannot be used: one line, exit code 2, nothing changed. */
export class UsageError extends Error {
  override get name(): 'UsageError' {
    return 'UsageError'
  }
}

/** A change that may have happened although it failed. Its message says what to do, its cause why. */
export class UnknownOutcome extends Error {}

/** Turns the `TypeError` of a function, which names what is wrong with its options, into a usage error. */
export function named<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw new UsageError(Object(error).message)
  }
}

/**
 * Turns `invalid_input` into a usage error: what the command line named is wrong. `advice` says what to do
 * after a change that may have happened although it failed.
 */
export async function checked<T>(work: () => Promise<T>, advice?: string): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiKeyError && error.code === 'invalid_input') {
      throw new UsageError(error.message)
    }
    if (advice !== undefined && error instanceof OutageError && mayHaveChanged(error)) {
      throw new UnknownOutcome(advice, { cause: error })
    }
    throw error
  }
}
