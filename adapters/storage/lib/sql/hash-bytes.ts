/** The 32 bytes that 64 lower-case hex digits stand for. */
export function bytesFromHash(hash: string): Uint8Array {
  const bytes = new Uint8Array(32)
  for (let index = 0; index < 32; index += 1) {
    bytes[index] = digit(hash.charCodeAt(2 * index)) * 16 + digit(hash.charCodeAt(2 * index + 1))
  }
  return bytes
}

/** Two lower-case hex digits for each byte. */
export function hexOf(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += HEX_OF_BYTE[byte]
  return hex
}

const HEX_OF_BYTE = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function digit(charCode: number): number {
  return charCode < 58 ? charCode - 48 : charCode - 87
}
