/** Digits in ASCII order: 0-9, A-Z, a-z. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A whole number as exactly `width` base62 digits, with leading zeros. */
export function toBase62(value: number, width: number): string {
  let rest = value
  let digits = ''
  for (let at = 0; at < width; at += 1) {
    digits = BASE62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
