import type * as z from 'zod/mini'
import { ownRecord } from '../../lib/own-data.ts'
import type { KeyMetadata } from '../../model/key.ts'
import { codePoints, isWellFormed } from '../../model/name.ts'
import { frozenMetadata } from '../../storage/record.ts'
import { described, type Problem, reading } from './parse.ts'

const MAX_ENTRIES = 20
/** A change may remove every entry that a key can have, and set as many. */
const MAX_CHANGES = 2 * MAX_ENTRIES
const MAX_VALUE_LENGTH = 500
/** As JSON, in bytes of UTF-8. */
const MAX_SIZE = 4_096
const NAME = /^[A-Za-z0-9_.-]{1,40}$/

/** What every object inherits; as names of entries they would mislead careless code. */
const INHERITED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Entries to set by their names, and `null` for those to remove. */
export type MetadataChange = Readonly<Record<string, string | null>>

type Entries = Readonly<Record<string, unknown>>

export const metadataSchema = metadata('string', MAX_ENTRIES, sizeProblem)

/** Entries to set, and to remove; the bounds of metadata hold for what becomes of them. */
export const metadataChangeSchema = metadata(['string', 'null'], MAX_CHANGES) as z.ZodMiniType<
  MetadataChange,
  unknown
>

export function changedMetadata(before: KeyMetadata, change: MetadataChange): KeyMetadata {
  const after = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null)
  return frozenMetadata(Object.fromEntries(after) as KeyMetadata)
}

export function sizeProblem(entries: Entries): Problem | null {
  const many = countProblem(entries, MAX_ENTRIES)
  if (many !== null) return many
  if (new TextEncoder().encode(JSON.stringify(entries)).length <= MAX_SIZE) return null
  return { code: 'too_long', message: `must have at most ${MAX_SIZE} bytes as JSON.` }
}

function countProblem(entries: Entries, most: number): Problem | null {
  if (Object.keys(entries).length <= most) return null
  return { code: 'too_long', message: `must have at most ${most} entries.` }
}

function metadata(
  type: string | readonly string[],
  most: number,
  sizeProblem: (entries: Entries) => Problem | null = () => null,
): z.ZodMiniType<KeyMetadata, unknown> {
  const additionalProperties = { type, maxLength: MAX_VALUE_LENGTH }
  const json = { type: 'object', maxProperties: most, additionalProperties }
  return reading(described(json), (input, refuse): KeyMetadata => {
    const entries = ownRecord(input)
    if (entries === null) {
      return refuse({ code: 'invalid_type', message: 'must be an object whose values are text.' })
    }
    const many = countProblem(entries, most)
    if (many !== null) return refuse(many)
    const wrong = Object.entries(entries).flatMap(
      ([name, value]) => entryProblem(name, value, type !== 'string') ?? [],
    )
    if (wrong.length > 0) return refuse(...wrong)
    // The size is that of texts: anything else may be nested without end.
    const large = sizeProblem(entries)
    return large === null ? frozenMetadata(entries as KeyMetadata) : refuse(large)
  })
}

function entryProblem(name: string, value: unknown, isNullable: boolean): Problem | null {
  if (!NAME.test(name) || INHERITED.has(name)) {
    return { code: 'invalid_value', message: 'has an entry whose name is not allowed.' }
  }
  if (isNullable && value === null) return null
  const path = [name]
  if (typeof value !== 'string') return { path, code: 'invalid_type', message: 'must be text.' }
  if (value.includes('\0') || !isWellFormed(value)) {
    return { path, code: 'forbidden_character', message: 'must be text without NUL.' }
  }
  if (codePoints(value) <= MAX_VALUE_LENGTH) return null
  const message = `must have at most ${MAX_VALUE_LENGTH} characters.`
  return { path, code: 'too_long', message }
}
