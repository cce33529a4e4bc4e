/** CRC-32 as in gzip and PNG (ISO 3309), with the reflected polynomial EDB88320. */
const POLYNOMIAL = 0xedb88320

/**
 * What a byte does to the state, in four tables of 256: the table at 256 × n is for a byte that n
 * more bytes follow. Four look-ups that do not wait for each other then take in four bytes at once.
 */
const TABLES = makeTables()

function makeTables(): Int32Array {
  const tables = new Int32Array(4 * 256)
  for (let byte = 0; byte < 256; byte += 1) {
    let state = byte
    for (let bit = 0; bit < 8; bit += 1) state = (state >>> 1) ^ (state & 1 ? POLYNOMIAL : 0)
    tables[byte] = state
  }
  for (let at = 256; at < tables.length; at += 1) {
    const before = tables[at - 256] as number
    tables[at] = (before >>> 8) ^ (tables[before & 0xff] as number)
  }
  return tables
}

/** The state of a CRC-32 after an ASCII text. */
export function crcState(text: string): number {
  let state = -1
  for (let at = 0; at < text.length; at += 1) {
    state = (state >>> 8) ^ (TABLES[(state ^ text.charCodeAt(at)) & 0xff] as number)
  }
  return state
}

/** The state of a CRC-32 after four more bytes, the first in the lowest bits. */
export function crcStep4(state: number, bytes: number): number {
  const mixed = state ^ bytes
  return (
    (TABLES[768 + (mixed & 0xff)] as number) ^
    (TABLES[512 + ((mixed >>> 8) & 0xff)] as number) ^
    (TABLES[256 + ((mixed >>> 16) & 0xff)] as number) ^
    (TABLES[mixed >>> 24] as number)
  )
}

/** The CRC-32 that a state stands for, as an unsigned number. */
export function crcValue(state: number): number {
  return ~state >>> 0
}
