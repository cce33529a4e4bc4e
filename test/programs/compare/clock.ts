/** Runs a part of a case while the process's clock stands at an instant. */
export async function at<T>(instantMs: number, run: () => Promise<T>): Promise<T> {
  const Real = globalThis.Date
  globalThis.Date = class extends Real {
    constructor(...words: unknown[]) {
      if (words.length === 0) super(instantMs)
      else super(...(words as [number]))
    }

    static override now(): number {
      return instantMs
    }
  } as DateConstructor
  try {
    return await run()
  } finally {
    globalThis.Date = Real
  }
}
