import type { HeaderLines } from '../../../../src/index.ts'
import type { CallBody } from '../management/call.ts'
import { refusals } from './refusals.ts'

/** In bytes: some 5,000 alerts. */
const MAX_BODY = 1_048_576

/** One delivery of alerts, whatever the host. */
export interface AlertCall {
  readonly method: string
  readonly lines: HeaderLines
  readonly body: CallBody
}

/** What says who has signed a delivery. */
export interface SignatureLines {
  readonly keyId: string
  readonly signature: string
}

/** The two headers of a signature. Refuses a call that has not exactly one of each. */
export function signatureLines({ lines }: AlertCall): SignatureLines {
  const keyId = only(lines('github-public-key-identifier'))
  const signature = only(lines('github-public-key-signature'))
  if (keyId === null || signature === null) throw refusals.badSignature()
  return { keyId, signature }
}

function only([line, ...more]: readonly string[]): string | null {
  return line === undefined || more.length > 0 ? null : line
}

/** The body byte by byte: that is what is signed. Refuses one over 1 MiB before reading it all. */
export async function readBytes({ lines, body }: AlertCall): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(lines('content-length')[0] ?? 0) > MAX_BODY) throw refusals.tooLarge()
  if (body === null) return new Uint8Array()
  if (body === 'lost' || 'parsed' in body) {
    throw new Error('revokeLeakedKeys: the body was read before; mount it earlier.')
  }
  return joined(await chunksOf(body.bytes))
}

async function chunksOf(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of bytes) {
      length += chunk.byteLength
      if (length > MAX_BODY) break
      chunks.push(chunk)
    }
  } catch {
    // The client has left.
    throw refusals.badBody()
  }
  if (length > MAX_BODY) throw refusals.tooLarge()
  return chunks
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
