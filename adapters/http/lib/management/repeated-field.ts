/** Whole strings, and the punctuation of objects. Nothing else matters here. */
const PARTS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}:]/g

/**
 * The first field that an object of this JSON names twice, or `null`. `JSON.parse` silently
 * keeps the last, and a proxy that keeps the first has checked another value (RFC 8259 §4). The text
 * must be valid JSON.
 */
export function repeatedField(json: string): string | null {
  const outer: Set<string>[] = []
  let names = new Set<string>()
  let text = ''
  for (const [part] of json.matchAll(PARTS)) {
    if (part === '{') {
      outer.push(names)
      names = new Set()
    } else if (part === '}') names = outer.pop() ?? names
    else if (part === ':' && !remember(names, text)) return JSON.parse(text)
    text = part
  }
  return null
}

/** Whether the name is new to the current object. */
function remember(names: Set<string>, text: string): boolean {
  const before = names.size
  // "a" and "\u0061" are the same name.
  names.add(JSON.parse(text))
  return names.size > before
}
