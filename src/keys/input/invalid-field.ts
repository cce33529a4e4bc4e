import { ApiKeyError } from '../../model/errors.ts'
import type { Problem } from './refuse.ts'

/** The error for a field whose problem shows only after the input was read. */
export function invalidField(
  path: readonly (string | number)[],
  { code, message }: Problem,
): ApiKeyError {
  return new ApiKeyError('invalid_input', { issues: [{ path, code, message }] })
}
