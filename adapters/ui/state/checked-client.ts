import {
  isIssued,
  isKey,
  isKeyEvents,
  isKeyList,
  isPaused,
  isResources,
  isRevoked,
  isRevokedKeys,
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
  /**
   * Without them, the tab shows neither the requests of a key nor its history, has ids of resources typed,
   * and revokes keys one by one.
   */
  Partial<Pick<ManagementClient, 'getKeyUsage' | 'getKeyEvents' | 'listResources' | 'revokeKeys'>>

/** A client of the page's own, whose answers are checked like those of the built-in one. */
export function checkedClient(client: TabClient): TabClient {
  const { getKeyEvents, getKeyUsage, listResources, revokeKeys } = client
  return {
    ...(getKeyUsage && {
      getKeyUsage: async (...asked) =>
        checked(await getKeyUsage.apply(client, asked), isUsage, 'unexpected'),
    }),
    ...(getKeyEvents && {
      getKeyEvents: async (...asked) =>
        checked(await getKeyEvents.apply(client, asked), isKeyEvents, 'unexpected'),
    }),
    ...(listResources && {
      listResources: async (...asked) =>
        checked(await listResources.apply(client, asked), isResources, 'unexpected'),
    }),
    ...(revokeKeys && {
      revokeKeys: async (...asked) =>
        checked(await revokeKeys.apply(client, asked), isRevokedKeys, 'outcome_unknown'),
    }),
    listKeys: async (...asked) => checked(await client.listKeys(...asked), isKeyList, 'unexpected'),
    listScopes: async (...asked) =>
      checked(await client.listScopes(...asked), isScopes, 'unexpected'),
    createKey: async (...asked) =>
      checked(await client.createKey(...asked), isIssued, 'outcome_unknown'),
    rotateKey: async (...asked) =>
      checked(await client.rotateKey(...asked), isRotated, 'outcome_unknown'),
    getKey: async (...asked) =>
      checked(await client.getKey(...asked), about(asked[0]), 'unexpected'),
    updateKey: async (...asked) =>
      checked(await client.updateKey(...asked), about(asked[0]), 'outcome_unknown'),
    pauseKey: async (...asked) =>
      checked(await client.pauseKey(...asked), about(asked[0], isPaused), 'outcome_unknown'),
    resumeKey: async (...asked) =>
      checked(await client.resumeKey(...asked), about(asked[0]), 'outcome_unknown'),
    revokeKey: async (...asked) =>
      checked(await client.revokeKey(...asked), about(asked[0], isRevoked), 'outcome_unknown'),
  }
}

/** Recognises this key, in the state that it must be in by now. */
function about(id: string, isDone: (key: WireKey) => boolean = () => true) {
  return (key: unknown) => isKey(key) && key.id === id && isDone(key)
}

function checked<T>(
  answer: T,
  isAnswer: (answer: unknown) => boolean,
  code: 'unexpected' | 'outcome_unknown',
): T {
  if (isAnswer(answer)) return answer
  throw new ManagementError(code)
}
