/** An answer of the routes, or of something else on the way to them. */
export type Answer = Readonly<Record<string, unknown>>

/**
 * Recognises the answer to a call by what must not be mistaken: that a list is a list, a secret a text, and a key
 * the one that was meant. The rest is as the routes send it.
 */
export type Check = (answer: Answer) => boolean

/** An answer with a list of this name. */
export function listIn(name: string): Check {
  return (answer) => Array.isArray(answer[name])
}

/** An answer about this key; with a status, in that status, since nothing else proves that a key has stopped. */
export function keyIn(id: string, status?: string): Check {
  return ({ key }) => {
    const found: Answer = Object(key)
    return found['id'] === id && (status === undefined || found['status'] === status)
  }
}

/** A new key with its secret. */
export const secretIn: Check = ({ key, secret }) =>
  isKey(key) && typeof secret === 'string' && secret !== ''

/** A replacement with its secret, and the key that it replaces. */
export const rotatedIn: Check = (answer) => secretIn(answer) && isKey(answer['replaced'])

/** Whether it is a key, as far as one has an id. */
export function isKey(key: unknown): boolean {
  return typeof Object(key).id === 'string'
}
