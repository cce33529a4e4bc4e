const KEY_ID = /^key_[A-Za-z0-9_-]{21}$/

/** Whether a text can be an id at all; if not, there is no need to ask the storage. */
export function isKeyId(text: string): boolean {
  return KEY_ID.test(text)
}
