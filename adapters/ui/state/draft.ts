import type { CreateKeyBody, WireIssue } from '../../client/index.ts'
import { hasRefused } from '../format/text.ts'
import type { MessageId } from '../strings/messages.ts'

/** Code points that a name may have. */
export const nameLimit = 120

/** A key that is being filled in. */
export interface Draft {
  readonly name: string
  readonly environment: CreateKeyBody['environment'] | null
  readonly scopes: ReadonlySet<string>
}

/** The fields of the form, in the order in which they are shown. */
export const draftFields = ['name', 'environment', 'scopes'] as const

/** What is wrong with each field of the form. */
export type DraftErrors = { readonly [Field in (typeof draftFields)[number]]?: MessageId }

/** A form that nobody has touched. No environment is chosen for the user. */
export const emptyDraft: Draft = { name: '', environment: null, scopes: new Set() }

/** How many code points a name has, counted as the server does. */
export function nameLength(name: string): number {
  return [...cleanName(name)].length
}

/** Everything wrong with a draft; nothing when it can be sent. */
export function errorsOf(draft: Draft): DraftErrors {
  const name = nameErrorOf(cleanName(draft.name))
  return {
    ...(name ? { name } : {}),
    ...(draft.environment === null ? { environment: 'v.env.required' } : {}),
    ...(draft.scopes.size === 0 ? { scopes: 'v.scopes.required' } : {}),
  }
}

/** The request for a draft, or `null` while no environment is chosen. */
export function bodyOf({ name, environment, scopes }: Draft): CreateKeyBody | null {
  return environment && { name: cleanName(name), environment, scopes: [...scopes] }
}

/** The server's objections, by field. */
export function errorsFrom(issues: readonly WireIssue[]): DraftErrors {
  return Object.assign({}, ...issues.map(errorFrom))
}

function errorFrom({ path, code }: WireIssue): DraftErrors {
  const [field] = path
  if (field === 'environment') return { environment: 'v.env.required' }
  if (field === 'scopes') return { scopes: 'v.scopes.required' }
  return field === 'name' ? { name: nameErrorFor(code) } : {}
}

// The codes of the server, and `taken` for hosts that want names to differ.
function nameErrorFor(code: string): MessageId {
  if (code === 'taken') return 'v.name.taken'
  if (code === 'too_long') return 'v.name.long'
  return code === 'required' ? 'v.name.required' : 'v.name.chars'
}

function nameErrorOf(name: string): MessageId | null {
  if (name === '') return 'v.name.required'
  if (nameLength(name) > nameLimit) return 'v.name.long'
  return hasRefused(name) ? 'v.name.chars' : null
}

function cleanName(name: string): string {
  return name.normalize('NFC').trim()
}
