/** Direction marks, which draw nothing: an isolated name needs none. */
export const marks: RegExp = /[\u061C\u200E\u200F]/g

/**
 * Characters that draw nothing and can reorder or hide what is around them: controls, bidi
 * embeddings, overrides and isolates, separators, the byte order mark, lone surrogates.
 */
const invisible = /[\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]/gu

/** A text of somebody else's making, safe to draw: marks go, and what could reorder it becomes U+FFFD. */
export function drawable(text: string): string {
  return text.replace(marks, '').replace(invisible, '\uFFFD')
}

/** Wraps a value for plain text, where `<bdi>` is impossible. Never for what a user copies. */
export function isolate(value: string, leftToRight = false): string {
  return `${leftToRight ? '\u2066' : '\u2068'}${value}\u2069`
}
