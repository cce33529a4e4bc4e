import type { LimiterRequest } from '../../src/index.ts'

/** Who shares a limit: all keys of a workspace, or nobody, so that each key has its own. */
export type Partition = 'workspace' | 'key'

/** Returns what a request is counted under. Throws a `TypeError` for another partition. */
export function partitionOf(
  caller: string,
  partition: Partition = 'workspace',
): (request: LimiterRequest) => string {
  if (partition === 'workspace') return ({ key }) => key.workspaceId
  if (partition === 'key') return ({ key }) => key.id
  throw new TypeError(`${caller}: option "partition" must be "workspace" or "key".`)
}
