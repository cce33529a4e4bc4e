import { sha256Hex } from '#sha256'
import { PREFIX_LENGTH } from '../secret/format.ts'
import { mintId, mintSecret } from '../secret/mint.ts'
import type { KeyRecord } from '../storage/contract.ts'
import { NEW_KEY_STATE } from '../storage/record.ts'
import type { Person } from './api-key.ts'
import type { KeyFields } from './create-key.ts'

interface NewKey extends KeyFields {
  readonly workspaceId: string
  readonly creator: Person
  readonly replaces?: string
}

/** Mints a secret and makes the record of its key, which is active. */
export function issue(
  { brand, nowMs }: { readonly brand: string; readonly nowMs: () => number },
  key: NewKey,
): { readonly record: KeyRecord; readonly secret: string } {
  const secret = mintSecret(brand, key.environment)
  const record: KeyRecord = Object.freeze({
    ...NEW_KEY_STATE,
    ...key,
    scopes: Object.freeze([...key.scopes]),
    creator: Object.freeze({ ...key.creator }),
    hash: sha256Hex(secret),
    id: mintId('key'),
    prefix: secret.slice(0, PREFIX_LENGTH),
    createdAtMs: nowMs(),
  })
  return { record, secret }
}
