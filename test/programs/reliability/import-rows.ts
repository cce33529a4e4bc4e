import { createHash } from 'node:crypto'
import { createApiKeys, type ImportKey, plans } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'

const ROWS_A_CALL = 1_000
const ACTOR = { id: 'u_import', name: 'Import' }

/** The secret of one key of the other system. */
export const secretOf = (at: number) => `old_${at.toString(36).padStart(12, '0')}`
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The instance of a host that takes over the keys of another system. */
export function importingKeys(storage: KeyStorage) {
  const test = (text: string) => text.startsWith('old_')
  return createApiKeys({
    storage,
    entitlements: () => plans.enterprise,
    formats: [{ id: 'old', test, digest: sha256 }],
  })
}

/** Rows of the other system, over a hundred workspaces. */
export function rowsFrom(first: number, count: number): ImportKey<'contacts.read'>[] {
  return Array.from({ length: count }, (_, index) => {
    const at = first + index
    return {
      workspaceId: `ws_import_${at % 100}`,
      creator: { id: 'u_1', name: 'Noura' },
      name: `Key ${at}`,
      environment: 'live',
      scopes: ['contacts.read'],
      format: 'old',
      digest: sha256(secretOf(at)),
    }
  })
}

/** Imports all rows, and counts what became of them. */
export async function importInto(storage: KeyStorage, keys: number) {
  const host = importingKeys(storage)
  const counts = { imported: 0, exists: 0 }
  for (let first = 0; first < keys; first += ROWS_A_CALL) {
    const rows = rowsFrom(first, Math.min(ROWS_A_CALL, keys - first))
    for (const row of await host.importKeys(rows, { actor: ACTOR })) {
      if (row.outcome === 'invalid') throw new Error(JSON.stringify(row.issues))
      counts[row.outcome] += 1
    }
  }
  await host.close()
  return counts
}
