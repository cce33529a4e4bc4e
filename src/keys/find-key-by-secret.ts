import { sha256Hex } from '#sha256'
import type { Context } from '../context.ts'
import { looksLikeSecret } from '../secret/redact.ts'
import type { KeyRecord } from '../storage/contract.ts'
import type { ApiKey } from './api-key.ts'

/** The key of a secret, or `null`. What is no secret is answered without asking the storage. */
export async function findKeyBySecret<S extends string>(
  context: Context<S>,
  secret: string,
): Promise<ApiKey<S> | null> {
  const { settings, records } = context
  if (!looksLikeSecret(secret, settings.brand)) return null
  const hash = sha256Hex(secret)
  return context.ask(
    'findByHash',
    () => settings.storage.findByHash(hash),
    (record) => (record === null ? null : records.read(withHash(record, hash))),
  )
}

function withHash(record: KeyRecord, hash: string): KeyRecord {
  if (record.hash !== hash) throw new TypeError('The storage answered with another key.')
  return record
}
