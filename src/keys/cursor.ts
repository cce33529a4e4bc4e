import type { ApiKeyError } from '../errors.ts'
import { invalidField } from './input/invalid-field.ts'

/** The error for a cursor that no page of this workspace has handed out. */
export function unknownCursor(): ApiKeyError {
  return invalidField(['cursor'], {
    code: 'invalid_value',
    message: 'is not a cursor of this list.',
  })
}
