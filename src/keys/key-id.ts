import { sha256Hex } from '#sha256'

const KEY_ID = /^key_[A-Za-z0-9_-]{21}$/

/** Whether a text can be an id at all; if not, there is no need to ask the storage. */
export function isKeyId(text: string): boolean {
  return KEY_ID.test(text)
}

/**
 * The id of a key that another system identifies: one for each format, workspace and external id. The
 * storage lets no second key have it, which is what holds when processes import one key at once.
 */
export function externalKeyId(format: string, workspaceId: string, externalId: string): string {
  // 21 hex digits are 84 bits. No digest of a format is hashed in this domain.
  const hash = sha256Hex(`miftah external id:${JSON.stringify([format, workspaceId, externalId])}`)
  return `key_${hash.slice(0, 21)}`
}
