import { ManagementError, type ManagementErrorCode } from '../../client/index.ts'
import type { Locale } from '../format/locale.ts'
import type { MessageId, MessageValues } from '../strings/messages.ts'

/** What the user asked for. */
export type Action = 'create' | 'rotate' | 'revoke' | 'update' | 'pause' | 'resume'

/** Changes that can be made again without harm are spoken of alike. */
const KINDS = {
  create: 'create',
  rotate: 'rotate',
  revoke: 'revoke',
  update: 'change',
  pause: 'change',
  resume: 'change',
} as const satisfies Record<Action, string>

/** Everything that a user may be allowed to do. */
export const actions = Object.keys(KINDS) as readonly Action[]

/** A sentence with its values. */
export interface Sentence {
  readonly id: MessageId
  readonly values?: MessageValues
  /** When it stops being true, in milliseconds: `n` is the seconds that are left. */
  readonly until?: number
}

/** A sentence that says what happened and what to do. */
export interface Failure extends Sentence {
  /** Said before it: what was asked, and what did not happen. */
  readonly leads?: readonly Sentence[]
  /** Whether the list may be out of date, so that refreshing it is offered. */
  readonly refresh?: boolean
  /** Whether the change may have happened: then what to do stays in sight beside the fresh list. */
  readonly unknown?: boolean
  /** Does once more what has failed; offered beside the sentence. */
  readonly again?: () => unknown
}

/** Until when a server asks not to be called. */
export function waiting({ retryAfterSeconds = retrySeconds }: ManagementError): Failure {
  const until = Date.now() + retryAfterSeconds * 1_000
  return { id: 'e.rate', values: { n: retryAfterSeconds }, until }
}

/** Whether a failure is over by itself. */
export function isOver({ until = Infinity }: Sentence): boolean {
  return until <= Date.now()
}

/** The guess when a server asks to slow down without saying for how long. */
const retrySeconds = 10

/** The code of a failed call; `null` for anything else that was thrown. */
export function codeOf(error: unknown): ManagementErrorCode | null {
  return error instanceof ManagementError ? error.code : null
}

/** The sentence for an action that failed, on the key of this name or for what is beyond the grant. */
export function failureOf(error: unknown, action: Action, values: MessageValues = {}): Failure {
  if (!(error instanceof ManagementError)) return lostAnswer(action)
  switch (error.code) {
    case 'active_key_limit_reached':
      return { id: 'e.limit' }
    case 'plan_required':
      return { id: 'e.capability' }
    case 'forbidden':
      return { id: 'e.forbidden' }
    case 'operation_not_allowed':
      return nothingDone(action, 'e.forbidden')
    case 'not_grantable':
      return { ...nothingDone(action, 'e.grant'), values }
    case 'rate_limited':
      return waiting(error)
    case 'network':
      return { id: 'e.network' }
    case 'not_found':
      return nothingDone(action, 'why.address')
    case 'key_expired':
    case 'key_rotated':
      return { id: 'e.ended', refresh: true }
    case 'overlap_limit_reached':
      return { id: 'e.overlaps', refresh: true }
    case 'key_revoked':
      return { id: 'e.gone', values }
    case 'key_not_found':
      return nothingDone(action, 'why.missing')
    case 'workspace_changed':
      return nothingDone(action, 'why.workspace')
    case 'storage_unavailable':
      return nothingDone(action, 'why.outage')
    case 'outcome_unknown':
    case 'internal_error':
      return lostAnswer(action, error)
    default:
      return { id: 'e.generic', refresh: true }
  }
}

/** Whether an error shows that the listed plan or rights are out of date. */
export function isStaleAbout(error: unknown): boolean {
  return /^(plan_req|active_key|operation_|not_gr)/.test(codeOf(error) ?? '')
}

/** A change that certainly did not happen, and why. */
export function nothingDone(action: Action, why: MessageId): Failure {
  return { leads: [{ id: `none.${KINDS[action]}` }], id: why }
}

/** A change whose answer never came, or came as a server fault: it may have happened. */
export function lostAnswer(action: Action, error?: ManagementError): Failure {
  return {
    leads: [{ id: whyLost(error?.status) }],
    id: `e.unknown.${KINDS[action]}`,
    refresh: true,
    unknown: true,
  }
}

function whyLost(status: number | undefined): MessageId {
  if (status === undefined) return 'why.dropped'
  return status < 300 ? 'why.unreadable' : 'why.fault'
}

/** A failure in plain text, for live regions. */
export function failureText({ text }: Locale, failure: Failure): string {
  return sentencesOf(failure)
    .map((sentence) => text(sentence.id, valuesOf(sentence)))
    .join(' ')
}

/** The values of a sentence by now. */
export function valuesOf({ until, values }: Sentence): MessageValues | undefined {
  if (until === undefined) return values
  return { n: Math.max(1, Math.ceil((until - Date.now()) / 1_000)) }
}

/** All sentences of a failure, in order. */
export function sentencesOf({ leads = [], ...failure }: Failure): readonly Sentence[] {
  return [...leads, failure]
}

/** A failure of a question that is closed by now, so that it must say what it is about. */
export function lateFailure(action: Action, name: string, failure: Failure): Failure {
  const about: Sentence = { id: `late.${KINDS[action]}`, values: { name } }
  return { ...failure, leads: [about, ...(failure.leads ?? [])] }
}
