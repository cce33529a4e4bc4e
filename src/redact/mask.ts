/** What stands for the masked part, as beside every prefix that is shown. */
export const MASK = '…'

/** A part of a text that is replaced. */
export interface Masked {
  readonly start: number
  readonly end: number
  readonly by: string
}

/**
 * Replaces what `find` says for each place where `head` matches; `null` leaves it. A match within
 * text that is already replaced is skipped.
 */
export function maskAfter(
  text: string,
  head: RegExp,
  find: (head: string, start: number) => Masked | null,
): string {
  let masked = ''
  let from = 0
  for (const { 0: found, index } of text.matchAll(head)) {
    const part = index < from ? null : find(found, index)
    if (part === null) continue
    masked += text.slice(from, part.start) + part.by
    from = part.end
  }
  return masked + text.slice(from)
}
