import type { Tab } from './tab.ts'

/**
 * What the list area of the tab shows: that it is loading for the first time, the list, an empty list,
 * the list at the active-key limit, the lock of a plan without the public API, a failed load, that the
 * user may not manage keys, or that the session has ended.
 */
export type ApiKeysTabState =
  | 'loading'
  | 'list'
  | 'empty'
  | 'limit'
  | 'locked'
  | 'error'
  | 'forbidden'
  | 'session'

/** The one word for what is shown now. */
export function stateOf({ list }: Tab): ApiKeysTabState {
  if (list.phase !== 'ready') return list.phase
  if (list.locked) return 'locked'
  if (list.limitReached) return 'limit'
  return list.keys.length === 0 ? 'empty' : 'list'
}

/** The custom states that a page can style with `:state()`. */
export function customStatesOf(tab: Tab): Readonly<Record<string, boolean>> {
  const { list } = tab
  return {
    loading: list.phase === 'loading',
    empty: list.phase === 'ready' && list.keys.length === 0,
    error: list.phase === 'error',
    locked: list.locked,
    limit: list.limitReached,
    'pending-secret': tab.lazy.parts?.reveals.pending ?? false,
  }
}
