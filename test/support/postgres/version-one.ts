import { namesOf } from '../../../adapters/storage/lib/postgres/names.ts'
import { version1 } from '../../../adapters/storage/lib/postgres/schema/1/version.ts'
import type { PostgresPool } from '../../../adapters/storage/postgres.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord, StoredKey } from '../../../src/storage/index.ts'

/** Creates the schema as the first release did. */
export async function createVersionOne(pool: PostgresPool): Promise<void> {
  await pool.query(`DO $miftah$ BEGIN
    CREATE SCHEMA miftah;
    CREATE TABLE miftah.schema_version (
      version integer PRIMARY KEY,
      applied_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()
    );
    ${version1(namesOf({}))}
    INSERT INTO miftah.schema_version (version) VALUES (1);
  END $miftah$`)
}

/** A key and its usage, as the first release sent it. */
function sent(record: KeyRecord) {
  return { ...record, uses: 0, lastUsedAtMs: null }
}

/** The first release, as far as its functions go. */
export function versionOne(pool: PostgresPool) {
  const call = (name: string, argument: object) =>
    pool.query(`SELECT miftah.${name}($1::text::jsonb)`, [JSON.stringify(argument)])
  return {
    insert: async (fields: Partial<KeyRecord> = {}) => {
      const record = sampleRecord({ workspaceId: 'ws_one', ...fields })
      const event = sampleCreatedEvent(record)
      await call('insert_key', { record: sent(record), activeLimit: null, event })
      return record
    },
    revoke: (record: KeyRecord) => call('revoke_key', sampleRevokeChange(record)),
    rotate: async (record: KeyRecord) => {
      const change = sampleRotateChange(record)
      const { rotatedAtMs: revokedAtMs, replacement } = change
      await call('rotate_key', { ...change, revokedAtMs, replacement: sent(replacement) })
      return { ...change.replacement, replaces: record.id }
    },
    use: (record: KeyRecord, uses: number, sequence: number) =>
      pool.query(
        `SELECT miftah.add_uses($1, $2::text::bigint, $3::text::text[], $4::text::bigint[],
          $5::text::bigint[])`,
        [`w_${record.id}`, String(sequence), `{${record.id}}`, `{${uses}}`, '{5}'],
      ),
    settle: (ids: readonly string[]) =>
      pool.query('SELECT miftah.settle_events($1, $2::text::text[])', ['relay', `{${ids}}`]),
  }
}

/** Keys of every kind in a schema of version 1, and what version 2 is to say about them. */
export async function fillVersionOne(pool: PostgresPool): Promise<readonly StoredKey[]> {
  const one = versionOne(pool)
  const names = ['active', 'used', 'revoked', 'rotated'] as const
  const [active, used, revoked, rotated] = await Promise.all(
    names.map((name) => one.insert({ name: `مفتاح ${name}`, scopes: ['a"b', 'c,d'] })),
  )
  if (!active || !used || !revoked || !rotated) throw new Error('not all keys were made')
  await one.use(used, 7, 1)
  await one.use(rotated, 2, 1)
  await one.revoke(revoked)
  const replacement = await one.rotate(rotated)
  const never = { uses: 0, lastUsedAtMs: null }
  const { revokedAtMs } = sampleRevokeChange(active)
  return [
    { ...active, ...never },
    { ...used, uses: 7, lastUsedAtMs: 5 },
    { ...revoked, ...never, revokedAtMs },
    { ...rotated, uses: 2, lastUsedAtMs: 5, revokedAtMs, replacedBy: replacement.id },
    { ...replacement, ...never },
  ]
}
