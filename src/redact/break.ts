/** The end of a line, also as JSON and quoted-printable write it, and the indentation of the next. */
const BREAK = '(?:=?(?:\\r?\\n|(?:\\\\{1,8}r)?\\\\{1,8}n)[ \\t]{0,80})'

const BREAKS = new RegExp(BREAK, 'g')

/** The pattern of a sequence of patterns that may be broken over lines. */
export function breakable(patterns: Iterable<string>): string {
  return [...patterns].join(`${BREAK}?`)
}

/** Whether a text may have a break. */
export function hasBreak(text: string): boolean {
  return text.includes('\n') || text.includes('\\n')
}

/** A sticky pattern for this many letters or digits, which may be broken over lines. */
export function brokenDigits(length: number): RegExp {
  return new RegExp(`(?:${BREAK}?[0-9A-Za-z]){${length}}`, 'y')
}

/** What a sticky pattern finds at a place of a text. */
export function foundAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** A text without its breaks. */
export function unbroken(text: string): string {
  return text.replace(BREAKS, '')
}
