/**
 * SQLite's clock in milliseconds since the epoch, the same within one statement. It needs no
 * `unixepoch('subsec')`, which SQLite before 3.42 answers with NULL.
 */
export const NOW_MS = "CAST(strftime('%s', 'now') || substr(strftime('%f', 'now'), 4) AS INTEGER)"
