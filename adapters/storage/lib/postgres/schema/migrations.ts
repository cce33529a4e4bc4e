/**
 * What brings a database from one version to the next: the first entry makes version 2 of version 1. Each is
 * literal SQL, names the schema `miftah`, and never changes once it is released; a test pins its digest. The
 * files beside this one always show the newest version, which a new database gets at once, and a test compares
 * the two. Until the first release there is only version 1.
 *
 * Every lookup waits while a migration waits for its lock on `keys`. So it begins with
 * `PERFORM pg_catalog.set_config('lock_timeout', '2s', true);` and is tried again.
 */
export const MIGRATIONS: readonly string[] = []
