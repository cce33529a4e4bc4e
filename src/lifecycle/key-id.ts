import { ApiKeyError } from '../errors.ts'

const KEY_ID = /^key_[A-Za-z0-9_-]{21}$/

/** Throws `key_not_found` for what cannot be an id, without asking the storage. */
export function demandKeyId(id: string): void {
  if (!KEY_ID.test(id)) throw new ApiKeyError('key_not_found')
}
