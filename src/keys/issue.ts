import { sha256Hex } from '#sha256'
import { PREFIX_LENGTH } from '../secret/format.ts'
import { mintId, mintSecret } from '../secret/mint.ts'
import type { KeyRecord } from '../storage/contract.ts'
import type { Environment, Person } from './api-key.ts'

interface NewKey {
  readonly workspaceId: string
  readonly creator: Person
  readonly name: string
  readonly environment: Environment
  readonly scopes: readonly string[]
  readonly replaces?: string | null
}

/** Mints a secret and makes the record of its key, as yet unused and active. */
export function issue(
  { brand, nowMs }: { readonly brand: string; readonly nowMs: () => number },
  { replaces = null, ...key }: NewKey,
): { readonly record: KeyRecord; readonly secret: string } {
  const secret = mintSecret(brand, key.environment)
  const record: KeyRecord = Object.freeze({
    ...key,
    scopes: Object.freeze([...key.scopes]),
    creator: Object.freeze({ ...key.creator }),
    hash: sha256Hex(secret),
    id: mintId('key'),
    prefix: secret.slice(0, PREFIX_LENGTH),
    createdAtMs: nowMs(),
    lastUsedAtMs: null,
    uses: 0,
    revokedAtMs: null,
    replaces,
    replacedBy: null,
  })
  return { record, secret }
}
