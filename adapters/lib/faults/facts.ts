/** SQLite's primary result codes that have a cause of their own (sqlite.org/rescode.html). */
const SQLITE_CODES: Readonly<Record<number, string>> = {
  5: 'BUSY',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  26: 'NOTADB',
}

/** The same by their fixed messages: @photostructure/sqlite gives statement errors no number. */
const SQLITE_TEXTS: ReadonlyMap<string, string> = new Map([
  ['database is locked', 'BUSY'],
  ['attempt to write a readonly database', 'READONLY'],
  ['disk I/O error', 'IOERR'],
  ['database disk image is malformed', 'CORRUPT'],
  ['database or disk is full', 'FULL'],
  ['unable to open database file', 'CANTOPEN'],
  ['file is not a database', 'NOTADB'],
])

/** The file was renamed, replaced or deleted (sqlite.org/rescode.html#readonly_dbmoved). */
const DBMOVED = 1032

/** The codes of an error, the most specific first. */
export function codesOf(error: unknown): readonly string[] {
  const code = textIn(error, 'code')
  const errcode = Reflect.get(Object(error), 'errcode')
  if (typeof errcode === 'number') {
    const extended = errcode === DBMOVED ? ['SQLITE_READONLY_DBMOVED'] : []
    return [...extended, `SQLITE_${SQLITE_CODES[errcode & 0xff] ?? errcode}`]
  }
  if (code === 'ERR_SQLITE_ERROR') {
    return [`SQLITE_${SQLITE_TEXTS.get(textIn(error, 'message')) ?? 'ERROR'}`]
  }
  // Bun and better-sqlite3 name the extended code, which begins with the primary one.
  const [primary] = /^SQLITE_[A-Z]+/.exec(code) ?? []
  return primary === undefined ? [code] : [code, primary]
}

/** A string property of whatever was thrown, or an empty string. */
export function textIn(error: unknown, name: 'name' | 'code' | 'message' | 'stack'): string {
  const value: unknown = Reflect.get(Object(error), name)
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
  const parts = [name, code && `(${code})`, place && `at ${place}`]
  return forLog(parts.filter((part) => part !== '').join(' '))
}

/** The first stack frame in a file, as `/app/main.js:12:7`. */
function placeOf(error: unknown): string {
  const message = textIn(error, 'message')
  const stack = textIn(error, 'stack')
  const at = stack.indexOf(message)
  // The message precedes the stack frames and may look like one.
  const frames = at < 0 ? '' : stack.slice(at + message.length)
  return (
    /\n\s+at (?:[^\n]*\()?((?:file:\/\/|\/|[A-Za-z]:\\)[^\n()]+:\d+:\d+)/.exec(frames)?.[1] ?? ''
  )
}
