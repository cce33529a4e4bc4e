import type { Subject } from './subject.ts'

/** What came of a case: whether its outcome held, and what was seen where a word is due. */
export interface Finding {
  readonly holds: boolean
  readonly seen?: string
}

/** One adversarial case as it can be asked of any library. */
export interface ComparedCase {
  /** Its number in the adversarial suite, where it has one. */
  readonly id: string
  readonly given: string
  readonly wanted: string
  run(subject: Subject): Promise<Finding>
}

/** Waits this long for an answer; `undefined` when none came. */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Puts the store back to normal after a case. */
export function calm({ probe }: Subject): void {
  probe.lookups = 0
  probe.beforeLookup = async () => {}
  probe.answer = (row) => row
}

export function holds(condition: boolean, seen?: string): Finding {
  return condition || seen === undefined ? { holds: condition } : { holds: condition, seen }
}

/** How often each word came. */
export function tally(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ')
}
