/**
 * Characters that draw nothing and can reorder or hide what is around them: controls, bidi marks,
 * embeddings, overrides and isolates, separators, the byte order mark, lone surrogates.
 */
const invisible = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]/gu

/** A text of somebody else's making, safe to draw: what could reorder it becomes U+FFFD. */
export function drawable(text: string): string {
  return text.replace(invisible, '\uFFFD')
}

/** Wraps a value for plain text, where `<bdi>` is impossible. Never for what a user copies. */
export function isolate(value: string, leftToRight = false): string {
  return `${leftToRight ? '\u2066' : '\u2068'}${value}\u2069`
}
