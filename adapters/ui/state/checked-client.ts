import { isIssued, isKeyList, isRevoked, isRotated, isScopes } from '../../client/answers.ts'
import { type ManagementClient, ManagementError } from '../../client/index.ts'

/** A client of the page's own, whose answers are checked like those of the built-in one. */
export function checkedClient(client: ManagementClient): ManagementClient {
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
        (key) => isRevoked(key, asked[0]),
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
