/** The `ECDSA-NIST-P256V1-SHA256` of GitHub's documentation, as WebCrypto calls it. */
const KEY_TYPE = { name: 'ECDSA', namedCurve: 'P-256' }
const ALGORITHM = { name: 'ECDSA', hash: 'SHA-256' }
/** The length in bytes of each of the two numbers of a signature. */
const NUMBER_LENGTH = 32
const SEQUENCE = 0x30
const INTEGER = 0x02

/** Reads a public key from PEM (RFC 7468 §13). Rejects when it is not a key on P-256. */
export async function importKey(pem: string): Promise<CryptoKey> {
  const base64 = pem.replace(/-----(?:BEGIN|END) PUBLIC KEY-----/g, '')
  return crypto.subtle.importKey('spki', bytesOf(base64), KEY_TYPE, false, ['verify'])
}

/** Whether the key's owner signed exactly these bytes. */
export async function isSignedBy(
  key: CryptoKey,
  signature: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return crypto.subtle.verify(ALGORITHM, key, signature, bytes)
}

/**
 * The DER in base64 of a signature, `SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 §2.2.3), as the 64
 * bytes that WebCrypto expects; `null` when it is not one.
 */
export function rawSignature(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const der = bytesOf(base64)
    if (der[0] !== SEQUENCE || der[1] !== der.length - 2) return null
    const r = numberAt(der, 2)
    const s = numberAt(der, r.end)
    if (s.end !== der.length) return null
    const raw = new Uint8Array(2 * NUMBER_LENGTH)
    raw.set(r.bytes, NUMBER_LENGTH - r.bytes.length)
    raw.set(s.bytes, 2 * NUMBER_LENGTH - s.bytes.length)
    return raw
  } catch {
    // Not base64, or the numbers are too long.
    return null
  }
}

/** A positive INTEGER in its shortest form (X.690 §8.3), without the zero that keeps it positive. */
function numberAt(der: Uint8Array, at: number) {
  const end = at + 2 + (der[at + 1] ?? 0)
  const [first = 0x80, second = 0] = der.subarray(at + 2, end)
  const padded = first === 0 && second >= 0x80
  if (der[at] !== INTEGER || end > der.length || first >= 0x80 || (first === 0 && !padded)) {
    throw new RangeError('not a positive INTEGER of DER')
  }
  return { end, bytes: der.subarray(at + (padded ? 3 : 2), end) }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
}
