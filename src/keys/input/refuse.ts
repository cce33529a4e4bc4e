import * as z from 'zod/mini'
import type { InputIssueCode } from '../../model/errors.ts'
import { ApiKeyError } from '../../model/errors.ts'

/** Adds an issue about a value, or about the part of it at `path`; for use in a transform. */
export function refuse(context: z.core.ParsePayload, { code, message, path = [] }: Problem): never {
  const input = context.value
  context.issues.push({ code: 'custom', message, params: { code }, input, path: [...path] })
  return z.NEVER
}

/** What is wrong with a value. */
export interface Problem {
  readonly code: InputIssueCode
  readonly message: string
  readonly path?: readonly (string | number)[]
}

/** The error for a field whose problem shows only after the input was read. */
export function invalidField(
  path: readonly (string | number)[],
  { code, message }: Problem,
): ApiKeyError {
  return new ApiKeyError('invalid_input', { issues: [{ path, code, message }] })
}
