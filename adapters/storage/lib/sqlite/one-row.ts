/**
 * Throws unless a statement has changed one row. A trigger of the host may have swallowed the change, and
 * the call must not answer as if it had been made.
 */
export function assertOneRow({ changes }: { readonly changes: number | bigint }): void {
  if (Number(changes) !== 1) throw new Error(`changing one row changed ${changes} rows`)
}
