import {
  type PostgresPool,
  type PostgresStorage,
  postgresStorage,
} from '../../../adapters/storage/postgres.ts'
import {
  type ChangesByHand,
  type StorageContractCase,
  storageContract,
} from '../../../adapters/storage/testing/storage-contract.ts'
import { caseSchemas } from './case-schemas.ts'
import type { FileDatabase } from './own-database.ts'

/** What a suite runs on. */
interface Tried {
  /** Of the superuser: it empties the tables, and changes them by hand. */
  readonly admin: () => PostgresPool
  /** Of the storage. Default: the same. */
  readonly pool?: () => PostgresPool
  /** Holds up the changes of a schema. Left out where there is but one connection. */
  readonly hold?: (schema: string) => Promise<() => Promise<void>>
  readonly migrate?: boolean
}

/** The storage contract, each case on empty tables. */
export function contractOn(
  name: string,
  { admin, pool = admin, hold, migrate = true }: Tried,
): readonly StorageContractCase[] {
  const nextSchema = caseSchemas(admin, name)
  const schemas = new WeakMap<PostgresStorage, string>()
  const schemaOf = (storage: PostgresStorage) => schemas.get(storage) ?? ''
  const open = (schema: string) => {
    const storage = postgresStorage(pool(), { schema, migrate })
    schemas.set(storage, schema)
    return storage
  }
  return storageContract<PostgresStorage>({
    open: async () => open(await nextSchema()),
    other: (storage) => open(schemaOf(storage)),
    hold: hold && ((storage) => hold(schemaOf(storage))),
    byHand: (storage) => byHandIn(admin(), schemaOf(storage)),
  })
}

/** The contract on a pool of pg whose sessions have this level. */
export function contractAt(level: string, db: FileDatabase): readonly StorageContractCase[] {
  let pool: PostgresPool | undefined
  const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`
  return contractOn(level.replace(' ', '_'), {
    admin: () => db.pool,
    pool: () => (pool ??= db.openPool({ options })),
    hold: (schema) => holdUp(db, schema),
  })
}

/** Holds up every write, as a transaction that locks all workspaces does. */
async function holdUp({ pool }: FileDatabase, schema: string) {
  const client = await pool.connect()
  await client.query(`BEGIN; LOCK TABLE ${schema}.miftah_workspaces IN EXCLUSIVE MODE`)
  return async () => {
    await client.query('ROLLBACK')
    client.release()
  }
}

function byHandIn(pool: PostgresPool, schema: string): ChangesByHand {
  const [keys, events] = [`${schema}.miftah_keys`, `${schema}.miftah_events`]
  return {
    revoke: (id, atMs) =>
      pool.query(`UPDATE ${keys} SET revoked_at_ms = ${atMs} WHERE id = $1`, [id]),
    narrow: (id) => pool.query(`UPDATE ${keys} SET scopes = '{}' WHERE id = $1`, [id]),
    remove: (id) => pool.query(`DELETE FROM ${keys} WHERE id = $1`, [id]),
    // Only with the guards out of the way.
    age: (byMs) =>
      pool.query(`DO $$ BEGIN
        ALTER TABLE ${keys} DISABLE TRIGGER USER;
        ALTER TABLE ${events} DISABLE TRIGGER USER;
        UPDATE ${keys} SET written_at_ms = written_at_ms - ${byMs};
        UPDATE ${events} SET written_at_ms = written_at_ms - ${byMs};
        ALTER TABLE ${keys} ENABLE ALWAYS TRIGGER miftah_guard;
        ALTER TABLE ${keys} ENABLE ALWAYS TRIGGER miftah_log_update;
        ALTER TABLE ${keys} ENABLE ALWAYS TRIGGER miftah_log_delete;
        ALTER TABLE ${keys} ENABLE ALWAYS TRIGGER miftah_log_truncate;
        ALTER TABLE ${events} ENABLE ALWAYS TRIGGER miftah_guard;
        ALTER TABLE ${events} ENABLE ALWAYS TRIGGER miftah_guard_truncate;
      END $$`),
  }
}
