/** Digits in ASCII order: 0-9, A-Z, a-z. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The value of each digit by its character code; -1 for other ASCII characters. */
const VALUES = Int8Array.from({ length: 128 }, (_, code) =>
  BASE62.indexOf(String.fromCharCode(code)),
)

/** The value of the digit with this character code, or -1 when it is none. */
export function digitValue(code: number): number {
  return code < VALUES.length ? (VALUES[code] as number) : -1
}

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
