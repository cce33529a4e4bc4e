import type { HeaderLines } from '../../../../src/http/index.ts'
import { type CallBody, isParsed } from '../management/call.ts'
import { refusals } from './refusals.ts'
import { rawSignature } from './signature.ts'

/** In bytes: about 5,000 alerts. */
const MAX_BODY = 1_048_576

/** One delivery of alerts, whatever the host. */
export interface AlertCall {
  readonly method: string
  readonly lines: HeaderLines
  readonly body: CallBody
}

/** The key that a delivery claims to be signed with, and the signature as WebCrypto expects it. */
export interface Signed {
  readonly keyId: string
  readonly signature: Uint8Array<ArrayBuffer>
}

/** GitHub's identifiers are 64 hexadecimal digits today. */
const KEY_ID = /^[\x21-\x7E]{1,128}$/

/**
 * The two headers of a signature. Refuses a call without exactly one of each, and a signature of the
 * wrong form, before anything is read or fetched.
 */
export function readSignature({ lines }: AlertCall): Signed {
  const keyId = only(lines('github-public-key-identifier'))
  const signature = rawSignature(only(lines('github-public-key-signature')))
  if (!KEY_ID.test(keyId) || signature === null) throw refusals.badSignature()
  return { keyId, signature }
}

function only([line = '', ...more]: readonly string[]): string {
  return more.length > 0 ? '' : line
}

/** The bytes of the body, which are what is signed. Refuses more than `most` before reading it all. */
export async function readBytes(
  { lines, body }: AlertCall,
  most = MAX_BODY,
): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(lines('content-length')[0] ?? 0) > most) throw refusals.tooLarge()
  if (body === null) return new Uint8Array()
  if (body === 'lost' || isParsed(body)) {
    throw new Error('revokeLeakedKeys: the body was read before; mount it earlier.')
  }
  return joined(await chunksOf(body.bytes, most))
}

async function chunksOf(bytes: AsyncIterable<Uint8Array>, most: number): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of bytes) {
      length += chunk.byteLength
      if (length > most) break
      chunks.push(chunk)
    }
  } catch {
    // The client disconnected.
    throw refusals.badBody()
  }
  if (length > most) throw refusals.tooLarge()
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
