const KEY_ID = /^key_[A-Za-z0-9_-]{21}$/

/** Whether a text can be an id at all: what is not needs no storage to be asked. */
export function isKeyId(text: string): boolean {
  return KEY_ID.test(text)
}
