const sameLetters: Readonly<Record<string, string>> = { ٱ: 'ا', ى: 'ي', ة: 'ه' }

/**
 * A text as a search compares it: without case, marks and tatweel, with one form of each Arabic letter
 * that people write in several, and with Latin digits.
 */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}\u0640]/gu, '')
    .replace(/[ٱىة]/g, (letter) => sameLetters[letter] ?? letter)
    .replace(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) => String(digit.charCodeAt(0) & 15))
}
