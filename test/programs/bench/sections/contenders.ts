import type { ApiKeys } from 'miftah'
import type { MemoryFloor } from '../floors/memory-floor.ts'
import type { Contender } from '../measure/rounds.ts'
import { SCOPE, type Texts } from './keys.ts'

/** Counts what it has let through, to be compared with what the store says afterwards. */
export interface Counted extends Contender {
  total: number
}

/** What is asked, and which answers count as accepted. */
interface Asking<Answer> {
  readonly inputs: Texts
  call(input: string): Answer | Promise<Answer>
  passes(answer: Answer): boolean
  readonly accepted?: number
}

/** Asks one after the other. */
function asking<Answer>(name: string, asking: Asking<Answer>): Counted {
  const { inputs, call, passes, accepted = 1 } = asking
  let drawn: readonly string[] = []
  return {
    name,
    accepted,
    total: 0,
    prepare: (count) => {
      drawn = inputs.draw(count)
    },
    async run() {
      let passed = 0
      for (const input of drawn) if (passes(await call(input))) passed += 1
      this.total += passed
      return passed
    },
  }
}

/** `miftah` with these headers. */
export function miftahContender(
  name: string,
  given: {
    readonly keys: ApiKeys
    readonly headers: Texts
    readonly accepted?: number
    /** What a request touches and where it comes from. */
    readonly request?: () => Parameters<ApiKeys['authenticate']>[2]
  },
): Counted {
  const { keys, headers: inputs, accepted = 1, request } = given
  return asking(name, {
    ...{ inputs, accepted, call: (header) => keys.authenticate(header, SCOPE, request?.()) },
    passes: (auth) => auth.ok && auth.key.workspaceId !== '',
  })
}

/** The hand-written floor with these headers. */
export function floorContender(name: string, floor: MemoryFloor, inputs: Texts): Counted {
  return asking(name, {
    ...{ inputs, call: (header) => floor.authenticate(header, SCOPE) },
    passes: (key) => key !== null && key.workspaceId !== '',
  })
}

/** A peer's check of a whole secret. */
export function peerContender(
  name: string,
  inputs: Texts,
  call: (secret: string) => boolean | Promise<boolean>,
): Counted {
  return asking(name, { inputs, call, passes: (accepted) => accepted })
}

/** Throws unless a store holds exactly what its contender let through. */
export function sameCount({ name, total }: Counted, stored: number): void {
  if (stored !== total) throw new Error(`${name}: ${total} accepted, ${stored} stored`)
}
