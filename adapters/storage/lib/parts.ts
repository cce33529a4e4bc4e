/** Rows in parts of at most so many, for statements of their own. */
export function partsOf<T>(rows: readonly T[], size: number): readonly (readonly T[])[] {
  const starts = Array.from({ length: Math.ceil(rows.length / size) }, (_, part) => part * size)
  return starts.map((start) => rows.slice(start, start + size))
}
