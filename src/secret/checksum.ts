import { toBase62 } from './base62.ts'

/** Six base62 characters hold any CRC-32. */
export const CHECKSUM_LENGTH = 6

/** CRC-32 as in gzip and PNG (ISO 3309), with the reflected polynomial EDB88320. */
const POLYNOMIAL = 0xedb88320

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let state = byte
  for (let bit = 0; bit < 8; bit += 1) state = (state >>> 1) ^ (state & 1 ? POLYNOMIAL : 0)
  return state
})

/** The CRC-32 of an ASCII text, as an unsigned number. */
export function crc32(text: string): number {
  return crcOf(crcAfter(text, -1))
}

/** The CRC-32 of an ASCII text as the base62 characters at the end of a secret. */
export function checksumOf(text: string): string {
  return toBase62(crc32(text), CHECKSUM_LENGTH)
}

/** The CRC-32 that a state stands for. The state before the first character is -1. */
export function crcOf(state: number): number {
  return ~state >>> 0
}

/** The state after an ASCII text. */
export function crcAfter(text: string, before: number): number {
  let state = before
  for (let at = 0; at < text.length; at += 1) state = crcStep(state, text.charCodeAt(at))
  return state
}

/** The state after one more ASCII character, given by its code. */
export function crcStep(state: number, code: number): number {
  return (state >>> 8) ^ (TABLE[(state ^ code) & 0xff] as number)
}
