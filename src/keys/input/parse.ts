import type * as z from 'zod/mini'
import { isName } from '../../lib/known-names.ts'
import { ApiKeyError, type InputIssue, type InputIssueCode } from '../../model/errors.ts'

/** How many problems of one field are reported: hostile input can have any number of them. */
const MAX_ISSUES_OF_FIELD = 50

/** The checked input, or `invalid_input` with every problem at once, up to 50 of each field. */
export function parseInput<T extends z.ZodMiniType>(schema: T, input: unknown): z.output<T> {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) return result.data
  throw new ApiKeyError('invalid_input', { issues: translateAll(result.error.issues) })
}

function translateAll(problems: readonly z.core.$ZodIssue[]): InputIssue[] {
  const issues: InputIssue[] = []
  const counts = new Map<PropertyKey, number>()
  for (const problem of problems) {
    const field = problem.path[0] ?? ''
    const before = counts.get(field) ?? 0
    const more = before < MAX_ISSUES_OF_FIELD ? translate(problem) : []
    counts.set(field, before + more.length)
    issues.push(...more)
  }
  return issues
}

function translate(issue: z.core.$ZodIssue): InputIssue[] {
  // No symbol is among them: only own string keys and array positions are read.
  const path = issue.path as (string | number)[]
  if (issue.code !== 'unrecognized_keys') return [{ path, ...verdict(issue) }]
  return issue.keys.slice(0, MAX_ISSUES_OF_FIELD).map((key) => unknownField(path, key))
}

/** Names the field only if its name looks like one: anything else is the sender's text. */
function unknownField(path: readonly (string | number)[], key: string): InputIssue {
  const named = isName(key)
  return {
    path: named ? [...path, key] : path,
    code: 'unknown_field',
    message: named ? 'is not a known field.' : 'has an unknown field.',
  }
}

type Verdict = Omit<InputIssue, 'path'>

function verdict(issue: z.core.$ZodIssue): Verdict {
  if (issue.input === undefined) return { code: 'required', message: 'is required.' }
  switch (issue.code) {
    case 'invalid_type':
      return {
        code: 'invalid_type',
        message: `must be ${article(issue.expected)}${instead(issue)}.`,
      }
    case 'invalid_value':
      return choice(issue)
    case 'too_small':
    case 'too_big':
      return range(issue)
    default:
      return { code: customCode(issue as z.core.$ZodIssueCustom), message: issue.message }
  }
}

function choice(issue: z.core.$ZodIssueInvalidValue): Verdict {
  if (typeof issue.input !== 'string') return { code: 'invalid_type', message: 'must be text.' }
  if (issue.path.at(-2) === 'scopes' || issue.path.at(-1) === 'scope') {
    return { code: 'unknown_scope', message: 'is not a scope of the catalogue.' }
  }
  const { length } = issue.values
  const allowed = length > 2 ? `one of: ${issue.values.join(', ')}` : issue.values.join(' or ')
  return { code: 'invalid_value', message: `must be ${allowed}.` }
}

function range(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): Verdict {
  const bound =
    issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`
  return { code: 'out_of_range', message: `must be ${bound}.` }
}

function customCode({ params }: z.core.$ZodIssueCustom): InputIssueCode {
  return (params?.['code'] as InputIssueCode | undefined) ?? 'invalid_value'
}

/** Ids of a database are numbers more often than not. */
function instead({ expected, input }: z.core.$ZodIssueInvalidType): string {
  return expected === 'string' && typeof input === 'number' ? ', not a number' : ''
}

type Expected = z.core.$ZodInvalidTypeExpected

/** The types that zod names; it leaves room for others, which no schema of ours has. */
type Named = keyof { [T in Expected as string extends T ? never : T]: T }

/** Types that no schema of an operation asks for. */
type Unasked =
  | 'bigint'
  | 'symbol'
  | 'undefined'
  | 'null'
  | 'never'
  | 'void'
  | 'tuple'
  | 'map'
  | 'set'
  | 'file'
  | 'nonoptional'
  | 'nan'
  | 'function'

/** Every type that a schema of an operation asks for. */
const NOUNS: Readonly<Record<Exclude<Named, Unasked>, string>> = {
  string: 'text',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a date',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
}

function article(expected: Expected): string {
  return NOUNS[expected as keyof typeof NOUNS]
}
