/** Every piece is at least this long. */
export const SHORTEST_PIECE = 12

const BASE = 0x01000193
/** What the first of a row of characters has been multiplied with when the row is complete. */
const FIRST = Array.from({ length: SHORTEST_PIECE - 1 }).reduce<number>(
  (power) => Math.imul(power, BASE),
  1,
)
const BITS = 26

/**
 * Many pieces of text, looked for all at once: a text is read once, with a rolling hash of the last
 * characters (Rabin and Karp), and only where a piece may begin it is looked up.
 */
export class PieceIndex<T> {
  readonly #starts = new Uint32Array(2 ** (BITS - 5))
  readonly #pieces = new Map<string, T>()
  readonly #lengths = new Set<number>()

  add(piece: string, meaning: T): void {
    if (piece.length < SHORTEST_PIECE) throw new Error(`too short to look for: ${piece.length}`)
    let hash = 0
    for (let at = 0; at < SHORTEST_PIECE; at += 1) {
      hash = (Math.imul(hash, BASE) + piece.charCodeAt(at)) | 0
    }
    const bit = hash >>> (32 - BITS)
    this.#starts[bit >>> 5] = (this.#starts[bit >>> 5] ?? 0) | (1 << (bit & 31))
    this.#pieces.set(piece, meaning)
    this.#lengths.add(piece.length)
  }

  /** The meanings of all pieces in a text. */
  in(text: string): ReadonlySet<T> {
    const found = new Set<T>()
    let hash = 0
    for (let end = 0; end < text.length; end += 1) {
      const start = end - SHORTEST_PIECE + 1
      if (start > 0) hash = (hash - Math.imul(text.charCodeAt(start - 1), FIRST)) | 0
      hash = (Math.imul(hash, BASE) + text.charCodeAt(end)) | 0
      if (start >= 0 && this.#mayStart(hash)) this.#addAt(text, start, found)
    }
    return found
  }

  #mayStart(hash: number): boolean {
    const bit = hash >>> (32 - BITS)
    return ((this.#starts[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0
  }

  #addAt(text: string, start: number, found: Set<T>): void {
    for (const length of this.#lengths) {
      const meaning = this.#pieces.get(text.slice(start, start + length))
      if (meaning !== undefined) found.add(meaning)
    }
  }
}
