/** Strings whole, and the marks that open, close and part. Everything else means nothing here. */
const PARTS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g

/**
 * The first field that an object of this JSON names twice, or `null`. `JSON.parse` keeps the last in
 * silence, and a proxy that keeps the first has then checked something else (RFC 8259 §4). The text
 * must be valid JSON.
 */
export function repeatedField(json: string): string | null {
  const open: (Set<string> | null)[] = []
  let text = ''
  for (const [part] of json.matchAll(PARTS)) {
    if (part === '{' || part === '[') open.push(part === '{' ? new Set() : null)
    else if (part === '}' || part === ']') open.pop()
    else if (part === ':' && !remember(open.at(-1), text)) return JSON.parse(text)
    text = part
  }
  return null
}

/** Whether the name is new to the object that is open. */
function remember(names: Set<string> | null | undefined, text: string): boolean {
  if (names == null) return true
  const before = names.size
  // "a" and "\u0061" are one name.
  names.add(JSON.parse(text))
  return names.size > before
}
