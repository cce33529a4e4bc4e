import type { KeyResources } from '../../../src/model/key.ts'
import { checkName, codePoints, MAX_NAME_LENGTH, MAX_NOTE_LENGTH } from '../../../src/model/name.ts'
import type { CreateKeyBody, UpdateKeyBody, WireIssue, WireKey } from '../../client/index.ts'
import type { MessageId } from '../strings/messages.ts'
import { type Expiry, type ExpiryRules, expiryErrorOf, expiryOf, noExpiry } from './expiry.ts'

/** Code points that a name may have. */
export const nameLimit = MAX_NAME_LENGTH
export const noteLimit = MAX_NOTE_LENGTH
/** How many resources of all types together a key can be restricted to. */
export const resourceLimit = 100

/** A key that is being filled in. */
export interface Draft {
  readonly name: string
  readonly environment: CreateKeyBody['environment'] | null
  readonly scopes: ReadonlySet<string>
  readonly expiry: Expiry
  readonly note: string
  /** What it reaches of each type, as typed; a type that is not there is not restricted. */
  readonly resources: KeyResources
  /** One network a line, as typed; `null` for any. */
  readonly networks: string | null
}

/** The fields of the form, in the order in which they are shown. */
export const draftFields = [
  'name',
  'environment',
  'expiry',
  'resources',
  'scopes',
  'networks',
  'note',
] as const

/** What is wrong with each field of the form. */
export type DraftErrors = { readonly [Field in (typeof draftFields)[number]]?: MessageId }

/** A form that nobody has touched. No environment is chosen for the user. */
export const emptyDraft: Draft = {
  name: '',
  environment: null,
  scopes: new Set(),
  expiry: noExpiry,
  note: '',
  resources: {},
  networks: null,
}

/** How many code points a name has, counted as the server does. */
export function nameLength(name: string): number {
  return codePoints(cleanName(name))
}

/** Everything wrong with a draft; nothing when it can be sent. */
export function errorsOf(draft: Draft, rules: ExpiryRules): DraftErrors {
  const name = nameErrorOf(draft.name)
  const expiry = expiryErrorOf(draft.expiry, rules)
  return {
    ...(name ? { name } : {}),
    ...(draft.environment === null ? { environment: 'v.env.required' } : {}),
    ...(expiry ? { expiry } : {}),
    ...(draft.scopes.size === 0 ? { scopes: 'v.scopes.required' } : {}),
    ...(draft.networks?.trim() === '' ? { networks: 'v.networks.required' } : {}),
    ...(isNote(draft.note) ? {} : { note: 'v.note' }),
  }
}

/** The request for a draft, or `null` while no environment is chosen. */
export function bodyOf(
  { name, environment, scopes, expiry, note, resources, networks }: Draft,
  rules: ExpiryRules,
): CreateKeyBody | null {
  const end = expiryOf(expiry, rules) ?? undefined
  const fields = { name: cleanName(name), scopes: [...scopes], ...expiresAt(end) }
  const restricted = Object.entries(resources).filter(([, ids]) => ids !== 'all')
  return (
    environment && {
      ...fields,
      environment,
      ...(cleanName(note) && { note: cleanName(note) }),
      ...(restricted.length > 0 && { resources: cleanResources(restricted) }),
      ...(networks !== null && { networks: linesOf(networks) }),
    }
  )
}

/** The lines of a text that say something. */
export function linesOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((line) => line !== '')
}

function cleanResources(entries: readonly (readonly [string, KeyResources[string]])[]) {
  return Object.fromEntries(entries.map(([type, ids]) => [type, cleanIds(ids)]))
}

function cleanIds(ids: KeyResources[string]): KeyResources[string] {
  return ids === 'all' ? ids : [...new Set(linesOf(ids.join('\n')))]
}

/** The draft that leaves a key as it is. */
export function draftOf(key: WireKey): Draft {
  const { name, environment, scopes, expiresAt } = key
  const expiry = { choice: expiresAt === null ? 'never' : 'keep', day: '' } as const
  return { name, environment, scopes: new Set(scopes), expiry, ...restrictionsOf(key) }
}

/** The note of a key and what it is restricted to; routes of an earlier release know neither. */
export function restrictionsOf({ note, resources, networks }: WireKey) {
  return {
    note: note ?? '',
    resources: resources ?? {},
    networks: Array.isArray(networks) ? networks.join('\n') : null,
  } satisfies Partial<Draft>
}

/** What a draft changes about a key. */
export function changesOf(key: WireKey, draft: Draft, rules: ExpiryRules): UpdateKeyBody {
  const name = cleanName(draft.name)
  const scopes = [...draft.scopes]
  const same =
    scopes.length === key.scopes.length && key.scopes.every((one) => draft.scopes.has(one))
  const end = expiryOf(draft.expiry, rules)
  const before = restrictionsOf(key)
  const note = cleanName(draft.note)
  const moved = Object.entries(draft.resources).filter(
    ([type, ids]) => !sameIds(cleanIds(ids), before.resources[type] ?? 'all'),
  )
  const networks = draft.networks === null ? 'any' : linesOf(draft.networks)
  return {
    ...(name === key.name ? {} : { name }),
    ...(same ? {} : { scopes }),
    ...(end === null && key.expiresAt === null ? {} : expiresAt(end)),
    ...(note === before.note ? {} : { note: note || null }),
    ...(moved.length > 0 && { resources: cleanResources(moved) }),
    ...(sameIds(networks, key.networks ?? 'any') ? {} : { networks }),
  }
}

/** Whether both name the same, in whatever order. */
function sameIds(one: 'all' | 'any' | readonly string[], other: typeof one): boolean {
  return String([...one].sort()) === String([...other].sort())
}

function expiresAt(end: number | null | undefined): { readonly expiresAt?: string | null } {
  if (end === undefined) return {}
  return { expiresAt: end === null ? null : new Date(end).toISOString() }
}

/** The server's objections, by field. */
export function errorsFrom(issues: readonly WireIssue[]): DraftErrors {
  return Object.assign({}, ...issues.map(errorFrom))
}

function errorFrom({ path, code, message }: WireIssue): DraftErrors {
  const [field] = path
  if (field === 'environment') return { environment: 'v.env.required' }
  if (field === 'scopes') {
    return { scopes: code === 'unknown_scope' ? 'v.scopes.unknown' : 'v.scopes.required' }
  }
  if (field === 'expiresAt') return { expiry: /plan/.test(message) ? 'v.expiry' : 'v.day.past' }
  if (field === 'note') return { note: 'v.note' }
  if (field === 'resources') return { resources: 'v.resources' }
  if (field === 'networks') return { networks: 'v.networks' }
  return field === 'name' ? { name: nameErrorFor(code) } : {}
}

// The codes of the server, and `taken` for hosts that want names to differ.
function nameErrorFor(code: string): MessageId {
  if (code === 'taken') return 'v.name.taken'
  if (code === 'too_long') return 'v.name.long'
  return code === 'required' ? 'v.name.required' : 'v.name.chars'
}

function nameErrorOf(name: string): MessageId | null {
  const result = checkName(name)
  return result.ok ? null : nameErrorFor(result.code)
}

function isNote(note: string): boolean {
  return note.trim() === '' || checkName(note, noteLimit).ok
}

function cleanName(name: string): string {
  return name.normalize('NFC').trim()
}
