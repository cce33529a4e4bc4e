import { hasProperty } from './own-data.ts'

/** The names that a type has, each once. */
export type Known<T> = Readonly<Record<keyof T, true>>

/** What a program or a form would call something. A secret is longer, and a line break is not in it. */
export function isName(text: string): boolean {
  return /^[\w.$:-]{1,40}$/.test(text)
}

/**
 * Throws a `TypeError` for a property that is not known. `wrong` is the sentence before its name, such as
 * `there is no option`.
 */
export function refuseUnknown(given: object, known: readonly string[], wrong: string): void {
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) throw new TypeError(unknownName(wrong, name, known))
  }
}

/**
 * Throws a `TypeError` for a member of an answer of the host that is not known, or is there without a value:
 * a typing mistake must not take a limit away. `whose` begins the sentence about it.
 */
export function checkMembers(answer: object, known: readonly string[], whose: string): void {
  refuseUnknown(answer, known, `${whose} has no member`)
  for (const name of known) {
    if (hasProperty(answer, name) && Reflect.get(answer, name) === undefined) {
      throw new TypeError(`${whose} has "${name}" as undefined: give it a value or leave it out.`)
    }
  }
}

/** A sentence about a name that is not known, with the one that is near, or else all that are. */
export function unknownName(wrong: string, name: string, known: readonly string[]): string {
  const near = nearestName(name, known)
  const mend = near === undefined ? `known names: ${known.join(', ')}.` : `did you mean "${near}"?`
  return `${wrong} ${isName(name) ? `"${name}"` : 'of this name'}; ${mend}`
}

/** The known name that a misspelt one is most like. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const word = name.toLowerCase()
  const likeness = [0, 1, 2].filter((edits) => edits * 3 <= word.length)
  const tests = [
    ...likeness.map((edits) => (other: string) => isNear(word, other, edits)),
    (other: string) => holds(word, other) || holds(other, word),
  ]
  return tests
    .map((test) => known.find((other) => test(other.toLowerCase())))
    .find((found) => found !== undefined)
}

/** Whether so many letters added, left out, replaced or swapped make one word of another. */
function isNear(word: string, other: string, edits: number): boolean {
  if (word === other) return true
  if (edits === 0) return false
  let same = 0
  while (word[same] === other[same]) same += 1
  const [rest, others] = [word.slice(same), other.slice(same)]
  const swapped = `${rest.charAt(1)}${rest.charAt(0)}${rest.slice(2)}`
  return (
    isNear(swapped, others, edits - 1) ||
    isNear(rest.slice(1), others, edits - 1) ||
    isNear(rest, others.slice(1), edits - 1) ||
    isNear(rest.slice(1), others.slice(1), edits - 1)
  )
}

function holds(word: string, other: string): boolean {
  return other.length > 3 && word.includes(other)
}
