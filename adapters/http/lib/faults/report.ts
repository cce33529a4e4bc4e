import { listenToFaults } from '../../../../src/http/index.ts'
import { type ApiKeys, OutageError } from '../../../../src/index.ts'
import { silenced } from '../../../../src/lib/tap.ts'
import { type Failure, faultInWords, hostFailureInWords } from '../../../lib/faults/words.ts'

/** The limit of failure kinds reported, so that nobody can fill a log. */
const MAX_KINDS = 50

/** The kinds already reported for each `ApiKeys`. */
const SAID = new WeakMap<object, Set<string>>()

/**
 * Writes the first fault of each kind to standard error, unless the host listens to faults through
 * `onEvent`. Each `ApiKeys` is reported once, whatever is mounted on it.
 */
export function reportFaults<S extends string>(keys: ApiKeys<S>): void {
  listenToFaults(keys, (fault) =>
    say(keys, faultInWords(fault), 'set onEvent of createApiKeys to be notified of every fault'),
  )
}

/**
 * Reports the failures of routes to the host's `onError`, or else writes the first of each
 * kind to standard error.
 */
export function errorReporter<S extends string>(
  keys: ApiKeys<S>,
  onError: ((error: unknown) => void) | undefined,
): (error: unknown) => void {
  if (onError === undefined) reportFaults(keys)
  const listener = onError ?? ((error: unknown) => reportHostFailure(keys, error))
  return silenced(listener)
}

/** Says once on standard error that a call has found none of the routes. */
export function reportMisplaced(keys: object, sentence: string): void {
  say(keys, { kind: sentence, sentence }, 'docs/http-management.md shows how to mount them')
}

function reportHostFailure(keys: object, error: unknown): void {
  // The listener of the keys has already received the fault.
  if (error instanceof OutageError) return
  say(keys, hostFailureInWords(error), 'set the option onError to be notified of every failure')
}

/** `more` says how a host receives the rest. */
function say(keys: object, { kind, sentence }: Failure, more: string): void {
  const said = SAID.get(keys) ?? new Set()
  SAID.set(keys, said)
  if (said.has(kind) || said.size >= MAX_KINDS) return
  said.add(kind)
  // biome-ignore lint/suspicious/noConsole: without a listener, silence would hide an outage.
  console.error(`miftah: ${sentence} (Reported once; ${more}.)`)
}
