import { codePoints, MAX_NAME_LENGTH } from './name.ts'

const SUFFIX = ' (rotated)'
const ROOM = MAX_NAME_LENGTH - SUFFIX.length

/**
 * The name of a key's replacement: the name and ` (rotated)`. A name too long for that is cut
 * between two graphemes (UAX #29), so that no letter loses its marks and no emoji breaks.
 */
export function rotatedName(name: string): string {
  return cut(name) + SUFFIX
}

function cut(name: string): string {
  let kept = ''
  let length = 0
  // Without a granularity it is graphemes (ECMA-402 §18.1.1).
  for (const { segment } of new Intl.Segmenter('und').segment(name)) {
    length += codePoints(segment)
    if (length > ROOM) break
    kept += segment
  }
  // One grapheme may be longer than the room (marks piled on a letter): then code points must do.
  return (kept === '' ? [...name].slice(0, ROOM).join('') : kept).trimEnd()
}
