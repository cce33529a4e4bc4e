import { sha256Hex } from '#sha256'
import { NEW_KEY_STATE } from '../model/key-fields.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { PREFIX_LENGTH } from '../model/limits.ts'
import { nextNoticeAt } from '../model/notice-time.ts'
import { mintId, mintSecret } from '../secret/mint.ts'

/** What a new key has of its own; the rest is that of every new key. */
type NewKey = Omit<
  KeyRecord,
  'hash' | 'id' | 'prefix' | 'updatedAtMs' | 'noticeAtMs' | keyof typeof NEW_KEY_STATE
> &
  Partial<typeof NEW_KEY_STATE>

/** Mints a secret and makes the record of its key. */
export function issue(
  { brand }: { readonly brand: string },
  key: NewKey,
): { readonly record: KeyRecord; readonly secret: string } {
  const secret = mintSecret(brand, key.environment)
  const state = { ...NEW_KEY_STATE, ...key }
  const record: KeyRecord = Object.freeze({
    ...state,
    noticeAtMs: nextNoticeAt(state, key.createdAtMs),
    scopes: Object.freeze([...key.scopes]),
    creator: Object.freeze({ ...key.creator }),
    hash: sha256Hex(secret),
    id: mintId('key'),
    prefix: secret.slice(0, PREFIX_LENGTH),
    updatedAtMs: key.createdAtMs,
  })
  return { record, secret }
}
