import type { HeaderLines } from '../../../../src/http/index.ts'

/** The id of the workspace that the calling page shows, percent-encoded (RFC 3986 §2.1). */
export const WORKSPACE_HEADER = 'Miftah-Workspace'

/**
 * Whether a call is meant for this workspace: its page shows this one, or does not say which. The
 * session may have switched workspaces in another browser tab since the page was loaded.
 */
export function isMeantFor(workspaceId: string, lines: HeaderLines): boolean {
  const [shown, ...more] = lines(WORKSPACE_HEADER.toLowerCase())
  if (shown === undefined) return true
  return more.length === 0 && decoded(shown) === workspaceId
}

/** The text behind percent-encoding, or `null` when it is not valid. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
