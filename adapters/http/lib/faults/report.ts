import { type ApiKeys, StorageFault } from '../../../../src/index.ts'
import { tell } from '../tell.ts'
import { type Failure, faultInWords, hostFailureInWords } from './words.ts'

/** Of more kinds of failures than these the rest go unsaid, so that nobody can fill a log. */
const MAX_KINDS = 50

/** What has been said of which keys. */
const SAID = new WeakMap<object, Set<string>>()

/**
 * Writes the first fault of each kind to standard error, unless the host hears of faults by itself
 * through `onEvent`. Keys are reported once, whatever is mounted on them.
 */
export function reportFaults(keys: Pick<ApiKeys, 'setDefaultFaultListener'>): void {
  keys.setDefaultFaultListener((fault) =>
    say(keys, faultInWords(fault), 'onEvent of createApiKeys hears of every fault'),
  )
}

/**
 * Tells a host of the failures behind routes through its `onError`, or else writes the first of each
 * kind to standard error.
 */
export function errorReporter(
  keys: Pick<ApiKeys, 'setDefaultFaultListener'>,
  onError: ((error: unknown) => void) | undefined,
): (error: unknown) => void {
  if (onError === undefined) reportFaults(keys)
  const listener = onError ?? ((error: unknown) => reportHostFailure(keys, error))
  return (error) => tell(listener, error)
}

function reportHostFailure(keys: object, error: unknown): void {
  // The listener of the keys has been told of faults.
  if (error instanceof StorageFault) return
  say(keys, hostFailureInWords(error), 'the option onError hears of every failure')
}

/** `more` says how a host hears of the rest. */
function say(keys: object, { kind, sentence }: Failure, more: string): void {
  const said = SAID.get(keys) ?? new Set()
  SAID.set(keys, said)
  if (said.has(kind) || said.size >= MAX_KINDS) return
  said.add(kind)
  // biome-ignore lint/suspicious/noConsole: where a host listens to nothing, silence would hide an outage.
  console.error(`miftah: ${sentence} (Said once; ${more}.)`)
}
