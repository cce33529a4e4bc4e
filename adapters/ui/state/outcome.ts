import type { WireKey } from '../../client/index.ts'
import {
  type Action,
  codeOf,
  type Failure,
  failureOf,
  isStaleAbout,
  lateFailure,
  nothingDone,
} from './failure.ts'
import type { KeySource } from './key-source.ts'
import { places } from './places.ts'
import type { Tab } from './tab.ts'

const patienceMs = 30_000

/**
 * Waits for a change, and says when it takes so long that its outcome must be called unknown. The
 * request is never given up: its answer still counts whenever it comes.
 */
export async function withPatience<T>(change: Promise<T>, onLate: () => void): Promise<T> {
  const timer = setTimeout(onLate, patienceMs)
  try {
    return await change
  } finally {
    clearTimeout(timer)
  }
}

/** A change that was asked for, of which key, and where that key is from. */
export interface Change {
  readonly action: Action
  readonly source: KeySource
  readonly name?: string
}

/** What a failed change leaves to say, after all that follows from it for the list; `null` for nothing. */
export function explained(tab: Tab, error: unknown, change: Change): Failure | null {
  const { action, name = '', source } = change
  const failure = failureOf(error, action, { name, what: tab.beyond(error) })
  if (source !== tab.source) return failure
  switch (codeOf(error)) {
    case 'unauthenticated':
      tab.expireSession(action)
      return null
    case 'workspace_changed':
      tab.changeWorkspace(failure.leads)
      return null
    case 'forbidden':
      tab.refuse(action)
  }
  // Nothing else is worth a request after a failure.
  if (isStaleAbout(error)) void tab.list.load()
  return failure
}

/** Whether a key is gone or revoked, so that nothing more can be done with it. */
export function isGone(error: unknown): boolean {
  return /^key_(revoked|not_found)$/.test(codeOf(error) ?? '')
}

/** Leaves a key that is gone or revoked; a fresh list shows which. `close` says whether it was open. */
export async function leaveGone(
  tab: Tab,
  { action, source, key, failure }: Change & { readonly key: WireKey; readonly failure: Failure },
  close: () => boolean,
): Promise<void> {
  await tab.list.load()
  const wasOpen = close()
  const reported = source === tab.source ? failure : nothingDone(action, 'why.workspace')
  const gone: Failure = { id: 'e.gone', values: { name: key.name } }
  const notice = tab.list.find(key.id)?.status === 'revoked' ? gone : reported
  tab.notify(wasOpen ? notice : lateFailure(action, key.name, notice))
  if (wasOpen) tab.focusOn(places.row(key.id), ...places.top)
}
