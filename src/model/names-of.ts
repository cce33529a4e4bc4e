/** The names of a table, with their types. */
export function namesOf<const Table extends object>(
  table: Table,
): readonly (keyof Table & string)[] {
  return Object.keys(table) as (keyof Table & string)[]
}
