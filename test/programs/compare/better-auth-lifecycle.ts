import type { Opened, Permissions } from './better-auth.ts'
import type { Change, SubjectLifecycle } from './subject.ts'

const DAY_SECONDS = 86_400

interface Account {
  readonly api: Opened['auth']['api']
  /** Whether an error is how better-auth says no. */
  readonly isRefusal: (error: unknown) => boolean
  readonly held: Permissions
  readonly user: Opened['users']['first']
}

/** Ends and changes of keys, as hosts of better-auth make them. */
export function lifecycleOf({ api, isRefusal, held, user }: Account): SubjectLifecycle {
  const unlessRefused = async <T>(call: Promise<T>): Promise<T | null> => {
    try {
      return await call
    } catch (error) {
      if (isRefusal(error)) return null
      throw error
    }
  }
  const update = async (keyId: string, change: object): Promise<boolean> => {
    const body = { keyId, userId: user.id, ...change }
    return (await unlessRefused(api.updateApiKey({ body }))) !== null
  }
  return {
    issueEnding: async (days) => {
      const expiresIn = days === null ? null : days * DAY_SECONDS
      const body = { userId: user.id, name: 'CRM sync', permissions: held, expiresIn }
      const made = await unlessRefused(api.createApiKey({ body }))
      return made === null ? null : { id: made.id, secret: made.key }
    },
    extend: (id, days) => update(id, { expiresIn: days * DAY_SECONDS }),
    seen: async (id) => {
      const headers = new Headers({ cookie: user.cookie })
      try {
        return JSON.stringify(await api.getApiKey({ headers, query: { id } }))
      } catch (error) {
        if ((error as { readonly statusCode?: unknown }).statusCode === 404) return null
        throw error
      }
    },
    // There is no version to read: an editor saves whatever was saved since.
    openEditor: async (id) => {
      return ({ name, losesRight = false }: Change) =>
        update(id, {
          ...(name === undefined ? {} : { name }),
          ...(losesRight ? { permissions: { campaigns: ['read'] } } : {}),
        })
    },
  }
}
