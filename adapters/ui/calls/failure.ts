import { ManagementError, type WireKey } from '../../client/index.ts'
import type { Locale } from '../format/locale.ts'
import type { MessageId, MessageValues } from '../strings/messages.ts'
import { codeOf } from './client.ts'
import type { Source } from './source.ts'

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

/** A change that was asked for, of a key of which name, and where that key is from. */
export interface Change {
  readonly action: Action
  readonly source: Source
  readonly name: string
  /** What the key would have beyond the grant, in words. */
  readonly what?: string
}

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

/** The guess when a server asks to slow down without saying for how long. */
const retrySeconds = 10

/** Until when a server asks not to be called. */
export function waiting({ retryAfterSeconds: n = retrySeconds }: ManagementError): Failure {
  return { id: 'e.rate', values: { n }, until: Date.now() + n * 1_000 }
}

/** Whether a failure is over by itself. */
export function isOver({ until = Infinity }: Sentence): boolean {
  return until <= Date.now()
}

/** What is said alone for a code, and whether the list is offered anew. */
const ALONE: Readonly<Record<string, Failure>> = {
  active_key_limit_reached: { id: 'e.limit' },
  plan_required: { id: 'e.capability' },
  forbidden: { id: 'e.forbidden' },
  network: { id: 'e.network' },
  key_expired: { id: 'e.ended', refresh: true },
  key_rotated: { id: 'e.ended', refresh: true },
  overlap_limit_reached: { id: 'e.overlaps', refresh: true },
}

/** Why nothing was changed, for a code. */
const NOTHING: Readonly<Record<string, MessageId>> = {
  operation_not_allowed: 'e.forbidden',
  not_grantable: 'e.grant',
  not_found: 'why.address',
  key_not_found: 'why.missing',
  workspace_changed: 'why.workspace',
  storage_unavailable: 'why.outage',
}

/** The sentence for an action that failed, on the key of this name or for what is beyond the grant. */
export function failureOf(error: unknown, action: Action, values: MessageValues = {}): Failure {
  if (!(error instanceof ManagementError)) return lostAnswer(action)
  const { code } = error
  const why = NOTHING[code]
  if (why) return { ...nothingDone(action, why), ...(why === 'e.grant' && { values }) }
  if (code === 'rate_limited') return waiting(error)
  if (code === 'key_revoked') return { id: 'e.gone', values }
  if (code === 'outcome_unknown' || code === 'internal_error') return lostAnswer(action, error)
  return ALONE[code] ?? { id: 'e.generic', refresh: true }
}

/** Whether an error shows that the listed plan or rights are out of date. */
export function isStaleAbout(error: unknown): boolean {
  return /^(plan_req|active_key|operation_|not_gr)/.test(codeOf(error) ?? '')
}

/** Whether a key is gone or revoked, so that nothing more can be done with it. */
export function isGone(error: unknown): boolean {
  return /^key_(revoked|not_found)$/.test(codeOf(error) ?? '')
}

/** What is said of a key that is gone, once the list is fresh. */
export function goneFailure(key: WireKey, now: WireKey | undefined, failure: Failure): Failure {
  return now?.status === 'revoked' ? { id: 'e.gone', values: { name: key.name } } : failure
}

/** A change that certainly did not happen, and why. */
export function nothingDone(action: Action, why: MessageId): Failure {
  return { leads: [{ id: `none.${KINDS[action]}` }], id: why }
}

/** A change whose answer never came, or came as a server fault: it may have happened. */
export function lostAnswer(action: Action, error?: ManagementError): Failure {
  const status = error?.status
  const why = status === undefined ? 'why.dropped' : status < 300 ? 'why.unreadable' : 'why.fault'
  const id = `e.unknown.${KINDS[action]}` as const
  return { leads: [{ id: why }], id, refresh: true, unknown: true }
}

/** A failure of a question that is closed by now, so that it must say what it is about. */
export function lateFailure({ action, name }: Pick<Change, 'action' | 'name'>, failure: Failure) {
  const about: Sentence = { id: `late.${KINDS[action]}`, values: { name } }
  return { ...failure, leads: [about, ...(failure.leads ?? [])] }
}

/** All sentences of a failure, in order. */
export function sentencesOf({ leads = [], ...failure }: Failure): readonly Sentence[] {
  return [...leads, failure]
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
