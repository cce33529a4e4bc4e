import type { ApiKeys } from '../api-keys.ts'
import { anyEntranceOf } from '../authenticate/http-entrance.ts'
import type { FaultEvent } from '../events/api-key-event.ts'

/**
 * Sets the listener for faults where the host gave no `onEvent`, so that no outage is silent. The first
 * listener of the keys stays; with `onEvent`, or on an object that only looks like keys, it does nothing.
 */
export function listenToFaults<S extends string>(
  keys: ApiKeys<S>,
  listener: (fault: FaultEvent) => void,
): void {
  anyEntranceOf<S>(keys)?.listen(listener)
}
