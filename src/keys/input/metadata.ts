import * as z from 'zod/mini'
import { ownData } from '../../lib/own-data.ts'
import type { KeyMetadata } from '../../model/key.ts'
import { codePoints } from '../../model/name.ts'
import { isWellFormed } from '../../model/text.ts'
import { frozenMetadata } from '../../storage/record.ts'
import { type Problem, refuse } from './refuse.ts'

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

/** The notes of a new key. */
export const metadataSchema = metadata({
  type: 'string',
  isValue: (value) => typeof value === 'string',
  most: MAX_ENTRIES,
  maxSize: MAX_SIZE,
})

/** Entries to set, and to remove; the bounds of metadata hold for what becomes of them. */
export const metadataChangeSchema = metadata({
  type: ['string', 'null'],
  isValue: (value) => value === null || typeof value === 'string',
  most: MAX_CHANGES,
  maxSize: Infinity,
}) as z.ZodMiniType<MetadataChange, unknown>

/** The entries after a change. */
export function changedMetadata(before: KeyMetadata, change: MetadataChange): KeyMetadata {
  const after = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null)
  return frozenMetadata(Object.fromEntries(after) as KeyMetadata)
}

type Entries = Readonly<Record<string, unknown>>

/** What entries may hold, how many there may be, and how large they may be together. */
interface Rules {
  readonly type: string | readonly string[]
  readonly isValue: (value: unknown) => boolean
  readonly most: number
  readonly maxSize: number
}

function metadata(rules: Rules): z.ZodMiniType<KeyMetadata, unknown> {
  return z.pipe(
    z.unknown().register(z.globalRegistry, {
      type: 'object',
      maxProperties: rules.most,
      additionalProperties: { type: rules.type, maxLength: MAX_VALUE_LENGTH },
    }),
    z.transform((input: unknown, context): KeyMetadata => {
      const entries = ownData(input)
      if (typeof entries !== 'object' || entries === null || Array.isArray(entries)) {
        return refuse(context, {
          code: 'invalid_type',
          message: 'must be an object whose values are text.',
        })
      }
      const problems = problemsOf(entries as Entries, rules)
      for (const problem of problems) refuse(context, problem)
      return problems.length > 0 ? z.NEVER : frozenMetadata(entries as KeyMetadata)
    }),
  )
}

function problemsOf(entries: Entries, { isValue, most, maxSize }: Rules): Problem[] {
  const many = countProblem(entries, most)
  if (many !== null) return [many]
  const problems = Object.entries(entries).flatMap(
    ([name, value]) => entryProblem(name, value, isValue) ?? [],
  )
  // The size is that of texts: anything else may be nested without end.
  return problems.length > 0 ? problems : [bytesProblem(entries, maxSize) ?? []].flat()
}

/** What is wrong with the number of entries or with their size, if anything. */
export function sizeProblem(metadata: Entries): Problem | null {
  return countProblem(metadata, MAX_ENTRIES) ?? bytesProblem(metadata, MAX_SIZE)
}

function countProblem(entries: Entries, most: number): Problem | null {
  if (Object.keys(entries).length <= most) return null
  return { code: 'too_long', message: `must have at most ${most} entries.` }
}

function bytesProblem(entries: Entries, most: number): Problem | null {
  if (new TextEncoder().encode(JSON.stringify(entries)).length <= most) return null
  return { code: 'too_long', message: `must have at most ${most} bytes as JSON.` }
}

function entryProblem(
  name: string,
  value: unknown,
  isValue: (value: unknown) => boolean,
): Problem | null {
  if (!NAME.test(name) || INHERITED.has(name)) {
    return { code: 'invalid_value', message: 'has an entry whose name is not allowed.' }
  }
  const path = [name]
  if (!isValue(value)) return { path, code: 'invalid_type', message: 'must be text.' }
  if (typeof value !== 'string') return null
  if (value.includes('\0') || !isWellFormed(value)) {
    return { path, code: 'forbidden_character', message: 'must be text without NUL.' }
  }
  if (codePoints(value) <= MAX_VALUE_LENGTH) return null
  const message = `must have at most ${MAX_VALUE_LENGTH} characters.`
  return { path, code: 'too_long', message }
}
