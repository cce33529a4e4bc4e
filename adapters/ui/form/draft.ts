import type { KeyResources } from '../../../src/model/key.ts'
import { codePoints, MAX_NAME_LENGTH, MAX_NOTE_LENGTH } from '../../../src/model/name.ts'
import type { CreateKeyBody, UpdateKeyBody, WireIssue, WireKey } from '../../client/index.ts'
import { marks } from '../format/text.ts'
import type { MessageId } from '../strings/messages.ts'
import { type Expiry, type ExpiryRules, expiryErrorOf, expiryOf } from './expiry.ts'

/** How many resources of all types together a key can be restricted to. */
export const resourceLimit = 100

export interface Draft {
  readonly name: string
  readonly environment: CreateKeyBody['environment'] | null
  readonly expiry: Expiry
  readonly scopes: ReadonlySet<string>
  readonly note: string
  /** What it reaches of each type, as typed; a type that is not there is not restricted. */
  readonly resources: KeyResources
  /** One network a line, as typed; `null` for any. */
  readonly networks: string | null
}

export type DraftErrors = { readonly [Field in keyof Draft]?: MessageId }

/** A form that nobody has touched, with its fields in their order. No environment is chosen for the user. */
export const emptyDraft: Draft = {
  name: '',
  environment: null,
  expiry: { choice: 'never', day: '' },
  scopes: new Set(),
  note: '',
  resources: {},
  networks: null,
}

/** What is wrong with a draft; nothing when it can be sent. The rest is for the routes to say. */
export function errorsOf(draft: Draft, rules: ExpiryRules): DraftErrors {
  const name = cleaned(draft.name)
  const expiry = expiryErrorOf(draft.expiry, rules)
  return {
    ...(name === '' ? { name: 'v.name.required' } : {}),
    ...(codePoints(name) > limitOf.name ? { name: 'v.name.long' } : {}),
    ...(draft.environment === null ? { environment: 'v.env.required' } : {}),
    ...(expiry ? { expiry } : {}),
    ...(draft.scopes.size === 0 ? { scopes: 'v.scopes.required' } : {}),
    ...(draft.networks?.trim() === '' ? { networks: 'v.networks.required' } : {}),
    ...(codePoints(cleaned(draft.note)) > limitOf.note ? { note: 'v.note' } : {}),
  }
}

/** How long a field may be, in code points. */
export const limitOf = { name: MAX_NAME_LENGTH, note: MAX_NOTE_LENGTH } as const

/** A draft as it is sent, without an expiry that the key or the plan decides. */
function wireOf(draft: Draft, rules: ExpiryRules) {
  const { environment, networks, resources, scopes } = draft
  const end = expiryOf(draft.expiry, rules)
  const ids = Object.entries(resources).map(([type, chosen]) => [
    type,
    chosen === 'all' ? chosen : [...new Set(linesOf(chosen.join('\n')))],
  ])
  return {
    name: cleaned(draft.name),
    environment: environment as CreateKeyBody['environment'],
    scopes: [...scopes],
    ...(end !== undefined && { expiresAt: end === null ? null : new Date(end).toISOString() }),
    note: cleaned(draft.note) || null,
    resources: Object.fromEntries(ids) as KeyResources,
    networks: networks === null ? ('any' as const) : linesOf(networks),
  }
}

/** What a new key has of which its body says nothing. */
const unsaid = { expiresAt: null, note: null, resources: {}, networks: 'any' } as const

export function bodyOf(draft: Draft, rules: ExpiryRules): CreateKeyBody {
  return changesOf(unsaid, draft, rules) as CreateKeyBody
}

export function linesOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((line) => line !== '')
}

/** The draft that leaves a key as it is. */
export function draftOf(key: WireKey): Draft {
  const { name, environment, scopes, expiresAt, note, resources, networks } = key
  return {
    name,
    environment,
    scopes: new Set(scopes),
    expiry: { choice: expiresAt === null ? 'never' : 'keep', day: '' },
    note: note ?? '',
    resources,
    networks: networks === 'any' ? null : networks.join('\n'),
  }
}

export function changesOf(
  key: Pick<WireKey, 'resources'>,
  draft: Draft,
  rules: ExpiryRules,
): UpdateKeyBody {
  const { resources, ...fields } = wireOf(draft, rules)
  const changed = Object.entries(fields).filter(
    ([field, value]) => !isSame(value, Reflect.get(key, field)),
  )
  const moved = Object.entries(resources).filter(
    ([type, ids]) => !isSame(ids, key.resources[type] ?? 'all'),
  )
  return {
    ...Object.fromEntries(changed),
    ...(moved.length > 0 && { resources: Object.fromEntries(moved) }),
  }
}

function isSame(one: unknown, other: unknown): boolean {
  const sorted = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value)
  return sorted(one) === sorted(other)
}

/** What is said about the server's objections to a field: by their code, or else by the field alone. */
const OBJECTIONS: Readonly<Record<string, DraftErrors>> = {
  // Hosts that want names to differ say so.
  'name taken': { name: 'v.name.taken' },
  'name too_long': { name: 'v.name.long' },
  'name required': { name: 'v.name.required' },
  name: { name: 'v.name.chars' },
  environment: { environment: 'v.env.required' },
  'scopes unknown_scope': { scopes: 'v.scopes.unknown' },
  scopes: { scopes: 'v.scopes.required' },
  expiresAt: { expiry: 'v.day.past' },
  note: { note: 'v.note' },
  resources: { resources: 'v.resources' },
  networks: { networks: 'v.networks' },
}

export function errorsFrom(issues: readonly WireIssue[]): DraftErrors {
  return Object.assign({}, ...issues.map(errorFrom))
}

function errorFrom({ path: [field = ''], code, message }: WireIssue): DraftErrors {
  if (field === 'expiresAt' && /plan/.test(message)) return { expiry: 'v.expiry' }
  return OBJECTIONS[`${field} ${code}`] ?? OBJECTIONS[field] ?? {}
}

/** A name or a note as it is sent; direction marks, which an isolated name does not need, are left out. */
function cleaned(text: string): string {
  return text.replace(marks, '').normalize('NFC').trim()
}
