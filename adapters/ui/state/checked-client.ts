import {
  isIssued,
  isKey,
  isKeyEvents,
  isKeyList,
  isPaused,
  isRevoked,
  isRotated,
  isScopes,
  isUsage,
} from '../../client/answers.ts'
import { type ManagementClient, ManagementError, type WireKey } from '../../client/index.ts'

/** The calls that the tab makes. */
export type TabClient = Pick<
  ManagementClient,
  | 'listKeys'
  | 'listScopes'
  | 'createKey'
  | 'getKey'
  | 'updateKey'
  | 'pauseKey'
  | 'resumeKey'
  | 'rotateKey'
  | 'revokeKey'
> &
  /** Without them, the tab shows neither the requests of a key nor its history. */
  Partial<Pick<ManagementClient, 'getKeyUsage' | 'getKeyEvents'>>

/** A client of the page's own, whose answers are checked like those of the built-in one. */
export function checkedClient(client: TabClient): TabClient {
  const { getKeyEvents, getKeyUsage } = client
  return {
    ...(getKeyUsage && {
      getKeyUsage: async (...asked) =>
        checked(await getKeyUsage.apply(client, asked), isUsage, 'unexpected'),
    }),
    ...(getKeyEvents && {
      getKeyEvents: async (...asked) =>
        checked(await getKeyEvents.apply(client, asked), isKeyEvents, 'unexpected'),
    }),
    listKeys: async (...asked) => checked(await client.listKeys(...asked), isKeyList, 'unexpected'),
    listScopes: async (...asked) =>
      checked(await client.listScopes(...asked), isScopes, 'unexpected'),
    createKey: async (...asked) =>
      checked(await client.createKey(...asked), isIssued, 'unknown_outcome'),
    rotateKey: async (...asked) =>
      checked(await client.rotateKey(...asked), isRotated, 'unknown_outcome'),
    getKey: async (...asked) =>
      checked(await client.getKey(...asked), about(asked[0]), 'unexpected'),
    updateKey: async (...asked) =>
      checked(await client.updateKey(...asked), about(asked[0]), 'unknown_outcome'),
    pauseKey: async (...asked) =>
      checked(await client.pauseKey(...asked), about(asked[0], isPaused), 'unknown_outcome'),
    resumeKey: async (...asked) =>
      checked(await client.resumeKey(...asked), about(asked[0]), 'unknown_outcome'),
    revokeKey: async (...asked) =>
      checked(await client.revokeKey(...asked), about(asked[0], isRevoked), 'unknown_outcome'),
  }
}

/** Recognises this key, in the state that it must be in by now. */
function about(id: string, isDone: (key: WireKey) => boolean = () => true) {
  return (key: unknown) => isKey(key) && key.id === id && isDone(key)
}

function checked<T>(
  answer: T,
  isAnswer: (answer: unknown) => boolean,
  code: 'unexpected' | 'unknown_outcome',
): T {
  if (isAnswer(answer)) return answer
  throw new ManagementError(code)
}
