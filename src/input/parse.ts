import type * as z from 'zod/mini'
import { ApiKeyError, type InputIssue, type InputIssueCode } from '../errors.ts'

/** A hostile input can hold any number of problems; the answer stays small. */
const MAX_ISSUES = 50

/** The checked input, or `invalid_input` with every problem at once. */
export function parseInput<T extends z.ZodMiniType>(schema: T, input: unknown): z.output<T> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issues = result.error.issues.flatMap((issue) => translate(issue, input))
  throw new ApiKeyError('invalid_input', { issues: issues.slice(0, MAX_ISSUES) })
}

function translate(issue: z.core.$ZodIssue, input: unknown): InputIssue[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key],
      code: 'unknown_field',
      message: 'is not a known field.',
    }))
  }
  return [{ path, ...verdict(issue, valueAt(input, path)) }]
}

type Verdict = Omit<InputIssue, 'path'>

function verdict(issue: z.core.$ZodIssue, value: unknown): Verdict {
  if (value === undefined) return { code: 'required', message: 'is required.' }
  switch (issue.code) {
    case 'invalid_type':
      return { code: 'invalid_type', message: `must be ${article(issue.expected)}.` }
    case 'invalid_value':
      return choice(issue, value)
    case 'too_small':
    case 'too_big':
      return range(issue)
    default:
      return { code: customCode(issue), message: issue.message }
  }
}

function choice(issue: z.core.$ZodIssueInvalidValue, value: unknown): Verdict {
  if (typeof value !== 'string') return { code: 'invalid_type', message: 'must be text.' }
  const [first] = issue.path
  if (first === 'scopes') {
    return { code: 'unknown_scope', message: 'is not a scope of the catalogue.' }
  }
  return { code: 'invalid_value', message: `must be ${issue.values.join(' or ')}.` }
}

function range(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): Verdict {
  if (issue.origin === 'array') return { code: 'required', message: 'must name at least one.' }
  const bound =
    issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`
  return { code: 'out_of_range', message: `must be ${bound}.` }
}

function customCode(issue: z.core.$ZodIssue): InputIssueCode {
  const code = issue.code === 'custom' ? issue.params?.['code'] : undefined
  return typeof code === 'string' ? (code as InputIssueCode) : 'invalid_value'
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'text',
  array: 'a list',
  object: 'an object',
  int: 'a whole number',
  number: 'a number',
}

function article(expected: string): string {
  return NOUNS[expected] ?? expected
}

function valueAt(input: unknown, path: readonly (string | number)[]): unknown {
  let value = input
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string | number, unknown>)[part]
  }
  return value
}
