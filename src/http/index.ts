/**
 * What an adapter for a web framework is made of: the guard that decides about a request, and the
 * answers to write out. Hosts use the adapter of their framework instead.
 *
 * @module miftah/http
 */

export { type HttpAnswer, type ProblemDetails, problem } from './answer.ts'
export {
  createGuard,
  type Guard,
  type GuardOptions,
  type GuardVerdict,
  type HeaderLines,
} from './guard.ts'
export { type GuardAnswers, guardAnswers } from './guard-answers.ts'
