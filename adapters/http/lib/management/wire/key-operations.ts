/** An operation that changes keys. */
export type KeyOperation =
  | 'createKey'
  | 'updateKey'
  | 'pauseKey'
  | 'resumeKey'
  | 'rotateKey'
  | 'revokeKey'
  | 'revokeKeys'

/** Every operation that changes keys, in the order of a key's life. */
export const KEY_OPERATIONS = Object.keys({
  ...{ createKey: true, updateKey: true, pauseKey: true, resumeKey: true },
  ...{ rotateKey: true, revokeKey: true, revokeKeys: true },
} satisfies Record<KeyOperation, true>) as readonly KeyOperation[]
