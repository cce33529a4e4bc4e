import * as z from 'zod/mini'
import type { InputIssueCode } from '../../model/errors.ts'

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
