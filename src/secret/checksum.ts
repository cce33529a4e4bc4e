import { BASE62, toBase62 } from './base62.ts'

/** Six base62 characters hold any CRC-32. */
export const CHECKSUM_LENGTH = 6

/** CRC-32 as in gzip and PNG (ISO 3309), with the reflected polynomial EDB88320. */
const POLYNOMIAL = 0xedb88320

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let state = byte
  for (let bit = 0; bit < 8; bit += 1) state = (state >>> 1) ^ (state & 1 ? POLYNOMIAL : 0)
  return state
})

/** The CRC-32 of an ASCII text up to `end`, as an unsigned number. */
export function crc32(text: string, end = text.length): number {
  let state = -1
  for (let at = 0; at < end; at += 1) {
    state = (state >>> 8) ^ (TABLE[(state ^ text.charCodeAt(at)) & 0xff] as number)
  }
  return ~state >>> 0
}

/** The CRC-32 of an ASCII text as the base62 characters at the end of a secret. */
export function checksumOf(text: string): string {
  return toBase62(crc32(text), CHECKSUM_LENGTH)
}

/** Whether a text ends in the checksum of everything before it. */
export function hasChecksum(text: string): boolean {
  const end = text.length - CHECKSUM_LENGTH
  let rest = crc32(text, end)
  for (let at = text.length - 1; at >= end; at -= 1) {
    if (text.charAt(at) !== BASE62.charAt(rest % 62)) return false
    rest = Math.floor(rest / 62)
  }
  return true
}
