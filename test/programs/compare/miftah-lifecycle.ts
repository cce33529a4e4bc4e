import { ApiKeyError, type ApiKeys } from '../../../src/index.ts'
import type { Change, SubjectLifecycle } from './subject.ts'

const DAY_MS = 86_400_000
const WORKSPACE = { workspaceId: 'ws_1' }

/** Ends and changes of keys, as miftah's hosts make them. */
export function lifecycleOf(
  keys: ApiKeys,
  actor: { readonly id: string; readonly name: string },
): SubjectLifecycle {
  const changed = async (id: string, version: number, change: object): Promise<boolean> =>
    done(keys.updateKey({ ...WORKSPACE, id, actor, version, change }))
  return {
    issueEnding: async (days) => {
      const fields = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] } as const
      const expiresAt = inDays(days)
      try {
        const made = await keys.createKey({ ...WORKSPACE, creator: actor, ...fields, expiresAt })
        return { id: made.key.id, secret: made.secret }
      } catch (error) {
        if (error instanceof ApiKeyError) return null
        throw error
      }
    },
    extend: async (id, days) => {
      const { version } = await keys.getKey({ ...WORKSPACE, id })
      return changed(id, version, { expiresAt: inDays(days) })
    },
    seen: async (id) => JSON.stringify(await keys.getKey({ ...WORKSPACE, id })),
    openEditor: async (id) => {
      const { version } = await keys.getKey({ ...WORKSPACE, id })
      return ({ name, losesRight = false }: Change) =>
        changed(id, version, {
          ...(name === undefined ? {} : { name }),
          ...(losesRight ? { scopes: ['campaigns.read'] } : {}),
        })
    },
  }
}

function inDays(days: number | null): Date | null {
  return days === null ? null : new Date(Date.now() + days * DAY_MS)
}

/** Whether a change was made. */
export async function done(change: Promise<unknown>): Promise<boolean> {
  try {
    await change
    return true
  } catch (error) {
    if (error instanceof ApiKeyError) return false
    throw error
  }
}
