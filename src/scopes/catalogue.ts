/** Scopes that belong together on the screen. @inline */
export interface ScopeGroup<S extends string = string> {
  /** A name for the group that is not shown, unlike any other group's. */
  readonly id: string
  /** The heading that people read. */
  readonly label: Labels
  /** The scopes of the group, in the order of the screen. */
  readonly scopes: readonly {
    /**
     * The code, the same in every language: 1 to 64 characters of visible ASCII without space, quote or
     * backslash (RFC 6749 §3.3).
     */
    readonly scope: S
    /** What people read. */
    readonly label: Labels
    /** The label without the object that the group names: `Read`. Default: the label. */
    readonly short?: Labels
  }[]
}

type ScopeEntry<S extends string = string> = ScopeGroup<S>['scopes'][number]

/** The scopes a host offers, in order. Made by {@link defineScopes} or {@link pickScopes}. */
export interface ScopeCatalogue<S extends string = string> {
  /** The groups with their labels, in order. */
  readonly groups: readonly ScopeGroup<S>[]
  /** Every scope code in catalogue order. */
  readonly scopes: readonly S[]
  /** Whether a text is a scope of this catalogue: exactly, without case folding or wildcards. */
  has(scope: unknown): scope is S
}

/** The scope codes of a catalogue as a union of literals. */
export type ScopeOf<C> = C extends ScopeCatalogue<infer S> ? S : never

/** scope-token of RFC 6749 §3.3: %x21 / %x23-5B / %x5D-7E, one or more; and at most 64. */
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]{1,64}$/

export function isScopeToken(text: unknown): text is string {
  return typeof text === 'string' && SCOPE_TOKEN.test(text)
}

/**
 * Builds a catalogue of a host's own scopes. The codes become literal types, so that a misspelt scope does
 * not compile. Throws a `TypeError` that names the group or scope when one is empty, repeated, over 64
 * characters, without a label by language, or not a scope-token of RFC 6749 §3.3.
 *
 * @example
 * ```ts
 * import { defineScopes } from 'miftah'
 *
 * const catalogue = defineScopes([
 *   {
 *     id: 'invoices',
 *     label: { en: 'Invoices', ar: 'الفواتير' },
 *     scopes: [{ scope: 'invoices.read', label: { en: 'Read invoices', ar: 'قراءة الفواتير' } }],
 *   },
 * ])
 * catalogue.scopes //=> ['invoices.read']
 * ```
 */
export function defineScopes<const S extends string>(
  groups: readonly ScopeGroup<S>[],
): ScopeCatalogue<S> {
  if (!Array.isArray(groups))
    throw new TypeError(`defineScopes needs a list of groups: ${EXAMPLE}.`)
  const copies = groups.map((group) => copyGroup<S>(Object(group)))
  refuseRepeats(
    copies.map((group) => group.id),
    'group',
  )
  const scopes = copies.flatMap((group) => group.scopes.map((entry) => entry.scope))
  if (scopes.length === 0) throw new TypeError('The scope catalogue is empty.')
  refuseRepeats(scopes, 'scope')
  const known: ReadonlySet<unknown> = new Set(scopes)
  return Object.freeze({
    groups: Object.freeze(copies),
    scopes: Object.freeze(scopes),
    has: (scope: unknown): scope is S => known.has(scope),
  })
}

/**
 * A smaller catalogue with the same groups and labels: only the scopes named, in the order of the larger one.
 * Throws a `TypeError` when a scope is not in it or named twice.
 */
export function pickScopes<S extends string, const P extends S>(
  catalogue: ScopeCatalogue<S>,
  scopes: readonly P[],
): ScopeCatalogue<P> {
  const stranger = scopes.find((scope) => !catalogue.has(scope))
  if (stranger !== undefined) throw new TypeError(`scope "${stranger}" is not in the catalogue.`)
  refuseRepeats(scopes, 'scope')
  const wanted: ReadonlySet<string> = new Set(scopes)
  const isWanted = (entry: ScopeEntry): entry is ScopeEntry<P> => wanted.has(entry.scope)
  const groups = catalogue.groups.map((group) => ({
    ...group,
    scopes: group.scopes.filter(isWanted),
  }))
  return defineScopes<P>(groups.filter((group) => group.scopes.length > 0))
}

const EXAMPLE =
  "[{ id: 'orders', label: { en: 'Orders' }, scopes: [{ scope: 'orders.read', label: { en: 'Read orders' } }] }]"

function copyGroup<S extends string>(group: ScopeGroup<S>): ScopeGroup<S> {
  const { id, label, scopes } = group
  if (typeof id !== 'string' || id === '') throw new TypeError('A scope group has no id.')
  if (!Array.isArray(scopes)) throw new TypeError(`group "${id}" has no list of scopes.`)
  return Object.freeze({
    id,
    label: copyLabels(label, `group "${id}"`),
    scopes: Object.freeze(scopes.map<ScopeEntry<S>>(copyEntry)),
  })
}

function copyEntry<S extends string>(entry: ScopeEntry<S>): ScopeEntry<S> {
  if (typeof entry === 'string') {
    throw new TypeError(`scope "${entry}" must be { scope: '${entry}', label: { en: '…' } }.`)
  }
  const { scope, label, short }: ScopeEntry<S> = Object(entry)
  if (!isScopeToken(scope)) {
    throw new TypeError(`scope "${scope}" is not 1 to 64 visible ASCII characters without " or \\.`)
  }
  const copy = (labels: Labels) => copyLabels(labels, `scope "${scope}"`)
  return Object.freeze({ scope, label: copy(label), ...(short && { short: copy(short) }) })
}

function refuseRepeats(names: readonly string[], kind: 'group' | 'scope'): void {
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined) throw new TypeError(`${kind} "${repeated}" is named twice.`)
}

/**
 * A text in at least one of the languages of a settings page, by language tag (`ar`, `pt-BR`). A page in
 * another language shows the English text, or else the first.
 */
export interface Labels {
  readonly [language: string]: string
}

/** A frozen copy of labels. Throws a `TypeError` that says `where` they are wrong. */
export function copyLabels(label: Labels, where: string): Labels {
  if (typeof label === 'string' || Array.isArray(label)) {
    throw new TypeError(
      `${where} must have its label by language, such as { en: 'Read invoices' }.`,
    )
  }
  const texts = { ...label }
  const languages = Object.keys(texts)
  if (languages.length === 0) throw new TypeError(`${where} has no label.`)
  const empty = languages.find((language) => !isText(texts[language]))
  if (empty !== undefined) throw new TypeError(`${where} has no text for "${empty}".`)
  return Object.freeze(texts)
}

function isText(label: unknown): boolean {
  return typeof label === 'string' && label.trim() !== ''
}
