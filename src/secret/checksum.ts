/** CRC-32 as in gzip and PNG (ISO 3309, reflected polynomial EDB88320), eight bits at a time. */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/** Continues a CRC-32 with one byte. Start with -1 and end with {@link crc32}'s complement. */
function step(crc: number, byte: number): number {
  return (TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8)
}

/** CRC-32 of the first `end` characters of an ASCII text, as an unsigned number. */
export function crc32(text: string, end: number = text.length): number {
  let crc = -1
  for (let at = 0; at < end; at += 1) crc = step(crc, text.charCodeAt(at))
  return ~crc >>> 0
}
