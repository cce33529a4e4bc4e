import { ApiKeyError } from '../errors.ts'

/** The error for a cursor that no page of this workspace has handed out. */
export function unknownCursor(): ApiKeyError {
  const message = 'is not a cursor of this list.'
  return new ApiKeyError('invalid_input', {
    issues: [{ path: ['cursor'], code: 'invalid_value', message }],
  })
}
