import { UNCHANGED_CODES } from '../storage/methods.ts'

/** Whether a failure of a write says that nothing is stored. */
export function isDefinite(error: unknown): boolean {
  return UNCHANGED_CODES.has(Object(error).code)
}

/** Whether the same change may be stored when it is tried again at once. */
export function isBusy(error: unknown): boolean {
  return Object(error).code === 'busy'
}

/** The time of a change is up, and nothing of it is stored. */
export function lateError(): Error {
  return withCode('timeout', 'There was no answer in time. Nothing was changed.')
}

/** More changes wait than the process takes. */
export function crowdedError(): Error {
  return withCode('busy', 'Too many changes wait for the storage. Nothing was changed.')
}

/** The time of a change is up, and nobody knows whether it is stored. */
export function unknownError(cause: unknown): Error {
  if (Object(cause).code === 'outcome_unknown') return cause as Error
  return withCode('outcome_unknown', 'The answer was lost. The change may have been made.', cause)
}

function withCode(code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), { code })
}

/** The id, the hash or the `replaces` of a new key is that of another key. */
export function takenError(): Error {
  return withCode(
    'refused',
    'Another key has the id or the hash of the new one. Nothing was changed.',
  )
}
