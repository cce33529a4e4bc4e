/** Digits in ASCII order: 0-9, A-Z, a-z. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const VALUES = Int8Array.from({ length: 128 }, (_, code) =>
  BASE62.indexOf(String.fromCharCode(code)),
)

/** A whole number as exactly `width` base62 digits, zeros in front. */
export function toBase62(value: number, width: number): string {
  let rest = value
  let digits = ''
  for (let at = 0; at < width; at += 1) {
    digits = BASE62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/**
 * The value of a base62 digit given as a character code; below 0 for any other character. A table
 * and no comparison: on random digits a processor guesses every branch wrong.
 */
export function base62Value(code: number): number {
  return (VALUES[code & 127] as number) | -(code >> 7)
}
