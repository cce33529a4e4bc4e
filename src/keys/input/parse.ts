import * as z from 'zod/mini'
import { isName } from '../../lib/known-names.ts'
import { ApiKeyError, type InputIssue, type InputIssueCode } from '../../model/errors.ts'

export interface Problem {
  readonly code: InputIssueCode
  readonly message: string
  readonly path?: readonly (string | number)[]
}

/** Throws `invalid_input` for a field whose problem shows only after the input was read. */
export function refuseField(path: readonly (string | number)[], problem: Problem | null): void {
  if (problem === null) return
  const { code, message } = problem
  throw new ApiKeyError('invalid_input', { issues: [{ path, code, message }] })
}

/** A schema of our own: what `read` makes of a value comes out, unless it refuses it. */
export function reading<In, Out>(
  schema: z.ZodMiniType<In>,
  read: (value: In, refuse: (...problems: readonly Problem[]) => never) => Out,
) {
  return z.pipe(
    schema,
    z.transform((input: In, context): Out => {
      const refuse = (...problems: readonly Problem[]) => {
        for (const { code, message, path = [] } of problems) {
          context.issues.push({ code: 'custom', message, params: { code }, input, path: [...path] })
        }
        return z.NEVER
      }
      return read(input, refuse)
    }),
  )
}

export function described(json: Readonly<Record<string, unknown>>) {
  return z.unknown().register(z.globalRegistry, json)
}

/** How many problems of one field are reported: hostile input can have any number of them. */
const MAX_ISSUES_OF_FIELD = 50

/** The checked input, or `invalid_input` with every problem at once, up to 50 of each field. */
export function parseInput<T extends z.ZodMiniType>(schema: T, input: unknown): z.output<T> {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) return result.data
  const issues: InputIssue[] = []
  const counts = new Map<PropertyKey, number>()
  for (const problem of result.error.issues) {
    const field = problem.path[0] ?? ''
    const before = counts.get(field) ?? 0
    const more = before < MAX_ISSUES_OF_FIELD ? translate(problem) : []
    counts.set(field, before + more.length)
    issues.push(...more)
  }
  throw new ApiKeyError('invalid_input', { issues })
}

function translate(issue: z.core.$ZodIssue): InputIssue[] {
  // No symbol is among them: only own string keys and array positions are read.
  const path = issue.path as (string | number)[]
  if (issue.code !== 'unrecognized_keys') return [{ path, ...verdict(issue) }]
  // A name that does not look like one is the sender's text.
  return issue.keys.slice(0, MAX_ISSUES_OF_FIELD).map((key) => {
    const code = 'unknown_field'
    if (!isName(key)) return { path, code, message: 'has an unknown field.' }
    return { path: [...path, key], code, message: 'is not a known field.' }
  })
}

function verdict(issue: z.core.$ZodIssue): Omit<InputIssue, 'path'> {
  if (issue.input === undefined) return { code: 'required', message: 'is required.' }
  switch (issue.code) {
    case 'invalid_type': {
      // Ids of a database are numbers more often than not.
      const isId = issue.expected === 'string' && typeof issue.input === 'number'
      const noun = NOUNS[issue.expected as keyof typeof NOUNS]
      return { code: 'invalid_type', message: `must be ${noun}${isId ? ', not a number' : ''}.` }
    }
    case 'invalid_value':
      return choice(issue)
    case 'too_small':
      return { code: 'out_of_range', message: `must be at least ${issue.minimum}.` }
    case 'too_big':
      return { code: 'out_of_range', message: `must be at most ${issue.maximum}.` }
    default: {
      const { params, message } = issue as z.core.$ZodIssueCustom
      return { code: (params?.['code'] as InputIssueCode | undefined) ?? 'invalid_value', message }
    }
  }
}

const NOUNS = {
  string: 'text',
  array: 'a list',
  object: 'an object',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
}

function choice(issue: z.core.$ZodIssueInvalidValue): Omit<InputIssue, 'path'> {
  if (typeof issue.input !== 'string') return { code: 'invalid_type', message: 'must be text.' }
  if (issue.path.at(-2) === 'scopes' || issue.path.at(-1) === 'scope') {
    return { code: 'unknown_scope', message: 'is not a scope of the catalogue.' }
  }
  const { length } = issue.values
  const allowed = length > 2 ? `one of: ${issue.values.join(', ')}` : issue.values.join(' or ')
  return { code: 'invalid_value', message: `must be ${allowed}.` }
}
