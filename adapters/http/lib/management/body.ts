import type { HeaderLines } from '../../../../src/http/index.ts'
import { type Call, isParsed } from '../call.ts'
import { refusal, refusals } from './refusal.ts'

/** In bytes. The largest valid body is under 4 KiB. */
const MAX_BODY = 65_536

/** The media types of a body: JSON, and for an update a merge patch too (RFC 7396 §4). */
export type BodyType = 'json' | 'mergePatch'

const MEDIA_TYPES: Readonly<Record<BodyType, RegExp>> = {
  json: /^application\/json[ \t]*(?:;|$)/i,
  mergePatch: /^application\/(?:merge-patch\+)?json[ \t]*(?:;|$)/i,
}

const CHARSET = /;[ \t]*charset="?([^";\t ]*)/i

/**
 * The body of a call as JSON; `undefined` when it is empty. Refuses what is not exactly
 * `application/json` (415), compressed (415), over 64 KiB (413), or not JSON in UTF-8 (400). None of
 * these answers repeats any part of the body.
 */
export async function readJson(
  { lines, body }: Pick<Call<unknown>, 'lines' | 'body'>,
  type: BodyType = 'json',
): Promise<unknown> {
  assertType(lines('content-type'), type)
  if (lines('content-encoding').some((coding) => coding !== 'identity')) throw refusals.encoded()
  assertSmall(lines)
  if (body === null) return undefined
  if (body === 'lost') throw new Error('manageKeys: the body was read before; mount it earlier.')
  // The host's parser had its own limit.
  return isParsed(body) ? body.parsed : parse(await readText(body.bytes))
}

/** Forms of other sites can send three types without a preflight; JSON is not one (Fetch §2.2.2). */
function assertType(lines: readonly string[], expected: BodyType): void {
  const [type = '', ...more] = lines
  const charset = CHARSET.exec(type)?.[1] ?? 'utf-8'
  if (more.length > 0 || !MEDIA_TYPES[expected].test(type) || charset.toLowerCase() !== 'utf-8') {
    throw expected === 'json' ? refusals.notJson() : refusals.notMergePatch()
  }
}

/** Refuses a body that says that it has more than 64 KiB (413). */
export function assertSmall(lines: HeaderLines): void {
  if (Number(lines('content-length')[0] ?? 0) > MAX_BODY) throw refusal('too_large')
}

/** The text of a body. Refuses more than 64 KiB (413), before reading it all, and what is not UTF-8 (400). */
export async function readText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let length = 0
  let text = ''
  try {
    for await (const chunk of bytes) {
      length += chunk.byteLength
      if (length > MAX_BODY) break
      text += decoder.decode(chunk, { stream: true })
    }
    if (length <= MAX_BODY) return text + decoder.decode()
  } catch {
    // Not UTF-8, or the client disconnected.
    throw refusal('bad_request')
  }
  throw refusal('too_large')
}

function parse(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw refusal('bad_request')
  }
}
