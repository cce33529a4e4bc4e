export type SqlValue = string | number | null | Uint8Array

/** A statement or a part of one: SQL with a `?` for each of its values. */
export class Sql {
  readonly text: string
  readonly values: readonly SqlValue[]

  constructor(text: string, values: readonly SqlValue[] = []) {
    this.text = text
    this.values = values
  }
}

/** A part of SQL that is written as it is. */
export function raw(text: string): Sql {
  return new Sql(text)
}

/** SQL from a template: another {@link Sql} is put in its place, anything else becomes a value. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (Sql | SqlValue)[]): Sql {
  const all = parts.map((part) => (part instanceof Sql ? part : new Sql('?', [part])))
  const text = strings.reduce((before, next, at) => `${before}${all[at - 1]?.text}${next}`)
  const values = all.flatMap((part) => part.values)
  return new Sql(text, values)
}

export function joined(parts: readonly Sql[], between: string): Sql {
  const text = parts.map((part) => part.text).join(between)
  const values = parts.flatMap((part) => part.values)
  return new Sql(text, values)
}

/** SQL in which each `?` stands for the same value. */
export function withValue(text: string, value: SqlValue): Sql {
  const values = Array.from(text.matchAll(/\?/g), () => value)
  return new Sql(text, values)
}

/** Rows in parts of at most so many, for statements of their own. */
export function partsOf<T>(rows: readonly T[], size: number): readonly (readonly T[])[] {
  const starts = Array.from({ length: Math.ceil(rows.length / size) }, (_, part) => part * size)
  return starts.map((start) => rows.slice(start, start + size))
}
