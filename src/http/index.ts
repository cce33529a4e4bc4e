/**
 * What an adapter for a web framework is made of: the guard that decides about a request, and the answers to
 * write out. Hosts use the adapter of their framework instead.
 *
 * @module miftah/http
 */

export type { Checker } from '../authenticate/http-entrance.ts'
export type { KeyChanges } from '../keys/update-key.ts'
export { type ProblemCode, problemCodes } from '../model/error-codes.ts'
export { issueCodes } from '../model/errors.ts'
export { isIdentifier, isReservedId } from '../model/name.ts'
export type { KeyFields } from '../model/new-key.ts'
export type { TouchedResources } from '../restrictions/resource-check.ts'
export { type HttpAnswer, type ProblemDetails, problem } from './answer.ts'
export type { CredentialPlace, HeaderLines } from './credentials.ts'
export { checkerOf, checkToken, listenToFaults, type ReceivedToken } from './entrance.ts'
export type { GuardVerdict } from './guard.ts'
export { createGuard, type Guard } from './guard.ts'
export { type GuardAnswers, type GuardAnswersOptions, guardAnswers } from './guard-answers.ts'
export type { GuardOptions, GuardResource, OnDenied } from './guard-options.ts'
export { createScopeGuard, type ScopeGuard, type ScopeGuardOptions } from './scope-guard.ts'
