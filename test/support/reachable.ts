import { inspect } from 'node:util'

/**
 * All text that can be reached from a value: through every own property, hidden ones and symbols
 * included, the chain of causes, and what a logger would print. Bytes are shown in hex.
 */
export function textIn(value: unknown): string {
  const texts: string[] = [inspect(value, { depth: 20, showHidden: true, maxStringLength: null })]
  const seen = new Set<unknown>()
  const look = (it: unknown): void => {
    if (typeof it === 'string') texts.push(it)
    if (typeof it !== 'object' || it === null || seen.has(it)) return
    seen.add(it)
    if (it instanceof Uint8Array) texts.push(Buffer.from(it).toString('hex'))
    else for (const name of Reflect.ownKeys(it)) look(Reflect.get(it, name))
    if (it instanceof Map || it instanceof Set) for (const entry of it) look(entry)
  }
  look(value)
  return texts.join('\n')
}
