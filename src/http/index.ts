/**
 * What an adapter for a web framework is made of: the guard that decides about a request, the answers
 * to write out, and the schema of what people send. Hosts use the adapter of their framework instead.
 *
 * @module miftah/http
 */

export {
  type JsonSchema,
  keyChangesSchema,
  keyFieldsSchema,
  rotationSchema,
} from '../keys/input/json-schema.ts'
export { type HttpAnswer, type ProblemDetails, problem } from './answer.ts'
export {
  createGuard,
  type Guard,
  type GuardOptions,
  type GuardVerdict,
  type HeaderLines,
} from './guard.ts'
export { type GuardAnswers, guardAnswers } from './guard-answers.ts'
