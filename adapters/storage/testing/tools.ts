import type { HeldKey } from '../../../src/storage/index.ts'

/** The workspace of every sample record, by default. */
export const WORKSPACE = 'ws_sample'

/** A workspace beside it. */
export const OTHER = 'ws_other'

/** Throws unless `condition` holds; `message` says what the storage should have done. */
export function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`storage contract: ${message}`)
}

/** Throws unless both values are equal in depth, own keys and all; names the first difference. */
export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  const difference = firstDifference(actual, expected, '')
  check(difference === null, `${what}: ${difference}`)
}

/** Where two values part, in words, or `null` when they are equal in depth. */
function firstDifference(actual: unknown, expected: unknown, path: string): string | null {
  if (Object.is(actual, expected)) return null
  const areAlike = isObject(actual) && isObject(expected)
  if (!areAlike || Array.isArray(actual) !== Array.isArray(expected)) {
    return `${path === '' ? '' : `${path} is `}${show(actual)}, expected ${show(expected)}`
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const here = path === '' ? key : `${path}.${key}`
    if (!Object.hasOwn(actual, key)) return `${here} is missing`
    if (!Object.hasOwn(expected, key)) return `${here} should not be there`
    const difference = firstDifference(actual[key], expected[key], here)
    if (difference !== null) return difference
  }
  return null
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function show(value: unknown): string {
  const text = typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? String(value))
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** Runs `call` for 0, 1, … `count - 1` without waiting in between. */
export function inParallel<T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)))
}

/** The ids of keys, in their order. */
export function idsOf(keys: readonly Pick<HeldKey, 'record'>[]): readonly string[] {
  return keys.map(({ record }) => record.id)
}

/** The ids of events, in their order. */
export function namesOf(events: readonly { readonly id: string }[]): readonly string[] {
  return events.map(({ id }) => id)
}

/** Lets everything else go on. */
export function pause(ms = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
