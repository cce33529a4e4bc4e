/** Digits in ASCII order: 0-9, A-Z, a-z. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

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

/** The value of a base62 digit given as a character code, or -1. */
export function base62Value(code: number): number {
  if (code >= 97 && code <= 122) return code - 61
  if (code >= 65 && code <= 90) return code - 55
  if (code >= 48 && code <= 57) return code - 48
  return -1
}
