import { isIssued, isKey, isKeyList, isRevoked, isRotated, isScopes } from '../../client/answers.ts'
import { type ManagementClient, ManagementError } from '../../client/index.ts'

/** The calls that the tab makes. */
export type TabClient = Pick<
  ManagementClient,
  'listKeys' | 'listScopes' | 'createKey' | 'rotateKey' | 'revokeKey'
>

/** A client of the page's own, whose answers are checked like those of the built-in one. */
export function checkedClient(client: TabClient): TabClient {
  return {
    listKeys: async (...asked) => checked(await client.listKeys(...asked), isKeyList, 'unexpected'),
    listScopes: async (...asked) =>
      checked(await client.listScopes(...asked), isScopes, 'unexpected'),
    createKey: async (...asked) =>
      checked(await client.createKey(...asked), isIssued, 'unknown_outcome'),
    rotateKey: async (...asked) =>
      checked(await client.rotateKey(...asked), isRotated, 'unknown_outcome'),
    revokeKey: async (...asked) =>
      checked(
        await client.revokeKey(...asked),
        (key) => isKey(key) && key.id === asked[0] && isRevoked(key),
        'unknown_outcome',
      ),
  }
}

function checked<T>(
  answer: T,
  isAnswer: (answer: unknown) => boolean,
  code: 'unexpected' | 'unknown_outcome',
): T {
  if (isAnswer(answer)) return answer
  throw new ManagementError(code)
}
