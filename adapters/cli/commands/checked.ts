import { ApiKeyError } from '../../../src/index.ts'
import { UsageError } from '../usage-error.ts'

/** What a command line names wrongly is the command line's fault: a typed issue becomes one line. */
export async function checked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiKeyError && error.code === 'invalid_input') {
      throw new UsageError(error.message)
    }
    throw error
  }
}
