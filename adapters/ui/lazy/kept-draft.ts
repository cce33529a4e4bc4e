import { type Draft, emptyDraft } from './draft.ts'

const PLACE = 'miftah-draft'

/** Keeps what was typed while the user signs in and comes back to this page. It has no secret. */
export function keepDraft(draft: Draft, workspaceId: string | null): void {
  if ((draft.name === '' && draft.scopes.size === 0) || workspaceId === null) return
  const kept = { ...draft, scopes: [...draft.scopes] }
  store((storage) => storage.setItem(PLACE, JSON.stringify({ ...about(workspaceId), kept })))
}

/** What was kept for this page and workspace, once. */
export function takeDraft(workspaceId: string | null): Draft | null {
  return store((storage) => {
    const text = storage.getItem(PLACE)
    storage.removeItem(PLACE)
    if (!text || workspaceId === null) return null
    const { kept, ...place } = JSON.parse(text)
    if (JSON.stringify(place) !== JSON.stringify(about(workspaceId))) return null
    return { ...emptyDraft, ...kept, scopes: new Set(kept.scopes) }
  })
}

function about(workspaceId: string) {
  return { workspaceId, path: location.pathname }
}

// A browser may have no storage for the page.
function store<T>(use: (storage: Storage) => T): T | null {
  try {
    return use(sessionStorage)
  } catch {
    return null
  }
}
