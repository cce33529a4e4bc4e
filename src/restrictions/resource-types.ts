import { copyLabels, type Labels } from '../scopes/catalogue.ts'

/** A kind of thing that a key can be restricted to some of, such as projects. @inline */
export interface ResourceType<T extends string = string> {
  /** Its name in keys and requests: a lower-case letter and up to 31 lower-case letters, digits and `_`. */
  readonly type: T
  /** What people read. */
  readonly label: Labels
}

/** The types of resources that keys can be restricted in. Made by {@link defineResources}. */
export interface ResourceTypes<T extends string = string> {
  /** The types with their labels, in order. */
  readonly entries: readonly ResourceType<T>[]
  /** The name of each type, in the same order. */
  readonly types: readonly T[]
}

/** What a backend without resources has. */
export const NO_RESOURCES: ResourceTypes<never> = Object.freeze({
  entries: Object.freeze([]),
  types: Object.freeze([]),
})

const MOST_TYPES = 4
const TYPE = /^[a-z][a-z0-9_]{0,31}$/

/**
 * Defines what keys can be restricted to, for the option `resources` of `createApiKeys`: 1 to 4 types. The
 * names become literal types, so that a misspelt one in `resource` of a guard does not compile. Throws a
 * `TypeError` that names a type that is repeated, misspelt or without a label.
 */
export function defineResources<const T extends string>(
  types: readonly ResourceType<T>[],
): ResourceTypes<T> {
  if (!Array.isArray(types) || types.length < 1 || types.length > MOST_TYPES) {
    throw new TypeError(`defineResources needs a list of 1 to ${MOST_TYPES} types.`)
  }
  const entries = types.map(copyType<T>)
  const names = entries.map(({ type }) => type)
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined) throw new TypeError(`resource type "${repeated}" is named twice.`)
  return Object.freeze({ entries: Object.freeze(entries), types: Object.freeze(names) })
}

function copyType<T extends string>({ type, label }: ResourceType<T>): ResourceType<T> {
  // A word that every object has would pass for a list of ids.
  if (typeof type !== 'string' || !TYPE.test(type) || type in {}) {
    throw new TypeError(
      `resource type "${type}" is not a lower-case letter and up to 31 lower-case letters, digits and _.`,
    )
  }
  return Object.freeze({ type, label: copyLabels(label, `resource type "${type}"`) })
}
