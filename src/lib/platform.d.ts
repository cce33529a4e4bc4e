/**
 * All that the core asks of a runtime beyond ECMAScript, so that it compiles without the types of Node and of
 * the DOM. Only `src/tsconfig.json` includes this file.
 */

/** A timer; Node's has `unref`, a browser's is a number. */
type Timer = object | number

declare function setTimeout(run: (value?: undefined) => void, delayMs: number): Timer
declare function clearTimeout(timer: Timer): void

declare const performance: { now(): number }

interface AbortSignal {
  readonly aborted: boolean
}

declare class AbortController {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}

declare class URL {
  constructor(text: string)
  readonly hostname: string
}
declare class TextEncoder {
  encode(text: string): { readonly length: number }
}

declare function atob(base64: string): string
