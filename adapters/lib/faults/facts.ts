/** A string property of whatever was thrown, or an empty string. */
export function textIn(error: unknown, name: 'name' | 'code' | 'message' | 'stack'): string {
  const value: unknown = Object(error)[name]
  return typeof value === 'string' ? value : ''
}

/** A text for one log line, without URL credentials, hashes and control characters. */
export function forLog(text: string): string {
  return text
    .replaceAll(/\/\/[^/\s]*@/g, '//…@')
    .replaceAll(/[0-9a-f]{32,}/gi, '…')
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .slice(0, 300)
}

/**
 * The safe part of an error that is not miftah's own: its name, its code and where it was thrown. Its
 * message may quote anything.
 */
export function outlineOf(error: unknown): string {
  const name = textIn(error, 'name') || typeof error
  const code = textIn(error, 'code')
  const place = placeOf(error)
  return forLog(`${name}${code && ` (${code})`}${place && ` at ${place}`}`)
}

/** The first stack frame in a file, as `/app/main.js:12:7`. */
function placeOf(error: unknown): string {
  // The message precedes the stack frames and may look like one.
  const [, ...frames] = textIn(error, 'stack').split(textIn(error, 'message') || '\n')
  const inFile = /\n\s+at (?:[^\n]*\()?((?:file:\/\/|\/|[A-Za-z]:\\)[^\n()]+:\d+:\d+)/
  return inFile.exec(`\n${frames.join('\n')}`)?.[1] ?? ''
}
