import { ApiKeyError, OutageError } from '../../../src/index.ts'
import { mayHaveChanged } from '../../lib/faults/may-have-changed.ts'
import { UnknownOutcome } from '../unknown-outcome.ts'
import { UsageError } from '../usage-error.ts'

/** Turns `invalid_input` into a usage error: what the command line named is wrong. */
export async function checked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiKeyError && error.code === 'invalid_input') {
      throw new UsageError(error.message)
    }
    throw error
  }
}

/** The same for a change, which may have happened although it failed: `advice` then says what to do. */
export async function changed<T>(work: () => Promise<T>, advice: string): Promise<T> {
  try {
    return await checked(work)
  } catch (error) {
    if (error instanceof OutageError && mayHaveChanged(error)) {
      throw new UnknownOutcome(advice, { cause: error })
    }
    throw error
  }
}
