import type { Person } from '../../../src/index.ts'

/** What a guide calls `./sessions.ts`: the reader's own file. */
export declare function sessionOf(
  cookie: string | null | undefined,
): Promise<{ readonly workspaceId: string; readonly user: Person } | null>
