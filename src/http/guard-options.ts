import type { ApiKeys } from '../api-keys.ts'
import { ownData } from '../lib/own-data.ts'
import type { Denial } from '../model/denial.ts'
import type { HttpAnswer } from './answer.ts'
import { type CredentialPlace, checkAccept, varyOf } from './credentials.ts'
import { answerDenial, type OnDenied } from './denied-answer.ts'
import { type GuardAnswers, type GuardAnswersOptions, guardAnswers } from './guard-answers.ts'

/** How a guard presents itself, and where it looks for keys. */
export interface GuardOptions<S extends string = string> extends GuardAnswersOptions {
  /** How many calls a request counts as for the limiter: 1 to 1,000,000. Default 1. */
  readonly cost?: number
  /** Replaces the answer to a refused request. Default: the guard's own answer. */
  readonly onDenied?: OnDenied<S>
}

/** The options of a guard, checked, and what follows from them. */
export interface GuardSettings<S extends string> {
  readonly accept: readonly CredentialPlace[]
  /** Still to be checked, with the requirement. */
  readonly cost: number | undefined
  readonly answers: GuardAnswers
  /** The headers that `accept` reads, as a `Vary` value. */
  readonly vary: string
  /** The verdict about a refused request. */
  refuse(denial: Denial<S>): Refusal | Promise<Refusal>
}

interface Refusal {
  readonly ok: false
  readonly answer: HttpAnswer
}

/** Checks the options of a guard. Throws a `TypeError` that names the one at fault. */
export function checkGuardOptions<S extends string>(
  keys: ApiKeys<S>,
  options: GuardOptions<S>,
): GuardSettings<S> {
  const { realm, accept: places = ['bearer'], cost, onDenied } = ownData(options) as GuardOptions<S>
  const accept = checkAccept(places)
  const answers = guardAnswers({ accept, ...(realm !== undefined && { realm }) })
  if (onDenied !== undefined && typeof onDenied !== 'function') {
    throw new TypeError('Option "onDenied" must be a function.')
  }
  const refuse = (denial: Denial<S>): Refusal | Promise<Refusal> => {
    const answer = answers.denial(denial)
    if (onDenied === undefined) return { ok: false, answer }
    return answerDenial({ keys, onDenied, denial, answer }).then((final) => ({
      ok: false,
      answer: final,
    }))
  }
  return { accept, cost, answers, vary: varyOf(accept), refuse }
}
