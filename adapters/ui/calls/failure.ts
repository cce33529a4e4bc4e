import { ManagementError } from '../../client/index.ts'
import type { Locale } from '../format/locale.ts'
import type { MessageId, MessageValues } from '../strings/messages.ts'
import { codeOf, type Source } from './client.ts'

export const actions = ['create', 'rotate', 'revoke', 'update', 'pause', 'resume'] as const

export type Action = (typeof actions)[number]

/** A change that was asked for, of a key of which name, and where that key is from. */
export interface Change {
  readonly action: Action
  readonly source: Source
  readonly name: string
}

interface Sentence {
  readonly id: MessageId
  readonly values?: MessageValues
  /** How long to wait, which it says. */
  readonly seconds?: number
}

/** A sentence that says what happened and what to do. */
export interface Failure extends Sentence {
  /** Said before it: what was asked, and what did not happen. */
  readonly leads?: readonly Sentence[]
  /** Whether the list may be out of date, so that refreshing it is offered. */
  readonly refresh?: boolean
  /** Whether the change may have happened: then what to do stays in sight beside the fresh list. */
  readonly unknown?: boolean
}

/** The guess when a server asks to slow down without saying for how long. */
const retrySeconds = 10

/** What is said for a code, and whether the list is offered anew. */
const SAID: Readonly<Record<string, Failure>> = {
  active_key_limit_reached: { id: 'e.limit' },
  plan_required: { id: 'e.capability' },
  forbidden: { id: 'e.forbidden' },
  network: { id: 'e.network' },
  key_revoked: { id: 'e.gone' },
  key_expired: { id: 'e.ended', refresh: true },
  key_rotated: { id: 'e.ended', refresh: true },
  overlap_limit_reached: { id: 'e.overlaps', refresh: true },
  operation_not_allowed: nothingDone('e.forbidden'),
  not_grantable: nothingDone('grant.key'),
  not_found: nothingDone('why.outage'),
  key_not_found: nothingDone('why.missing'),
  workspace_changed: nothingDone('why.workspace'),
  storage_unavailable: nothingDone('why.outage'),
}

/** The sentence for an action that failed, on the key of this name. */
export function failureOf(error: unknown, { action, name }: Pick<Change, 'action' | 'name'>) {
  if (!(error instanceof ManagementError) || /^(outcome_|internal_)/.test(error.code)) {
    return lostAnswer(action)
  }
  if (error.code === 'rate_limited') return waiting(error)
  const failure = SAID[error.code] ?? { id: 'e.generic', refresh: true }
  return failure.id === 'e.gone' ? { ...failure, values: { name } } : failure
}

export function waiting({ retryAfterSeconds: n = retrySeconds }: ManagementError): Failure {
  return { id: 'e.rate', seconds: n }
}

/** Whether an error shows that the listed plan or rights are out of date. */
export function isStaleAbout(error: unknown): boolean {
  return /^(plan_req|active_key|operation_|not_gr)/.test(codeOf(error) ?? '')
}

/** Whether a key is gone or revoked, so that nothing more can be done with it. */
export function isGone(error: unknown): boolean {
  return /^key_(revoked|not_found)$/.test(codeOf(error) ?? '')
}

/** A change that certainly did not happen, and why. */
export function nothingDone(why: MessageId): Failure {
  return { leads: [{ id: 'none' }], id: why }
}

/** A change whose answer never came, or came as a server fault: it may have happened. */
export function lostAnswer(action: Action): Failure {
  const unknown = { id: 'e.unknown', refresh: true, unknown: true } as const
  if (action !== 'create' && action !== 'rotate') return unknown
  return { ...unknown, leads: [{ id: 'e.unknown' }], id: 'e.unknown.secret' }
}

/** A failure for a place where nothing else names the key. */
export function about(name: string, failure: Failure): Failure {
  return { ...failure, leads: [{ id: 'late', values: { name } }, ...(failure.leads ?? [])] }
}

/** A failure in plain text, for live regions. */
export function failureText(locale: Locale, failure: Failure): string {
  return sentencesOf(locale, failure)
    .map(([id, values]) => locale.text(id, values))
    .join(' ')
}

/** All sentences of a failure, to draw. */
export function failureLine(locale: Locale, failure: Failure): unknown {
  return sentencesOf(locale, failure).map(([id, values]) => [locale.rich(id, values), ' '])
}

function sentencesOf({ dates }: Locale, { leads = [], ...failure }: Failure) {
  return [...leads, failure].map(({ id, values = {}, seconds }) => {
    const time = seconds === undefined ? '' : dates.ahead(seconds, 'second')
    return [id, { ...values, time }] as const
  })
}
