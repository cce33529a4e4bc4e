import type { ApiKeys } from 'miftah'
import type { MemoryFloor } from '../floors/memory-floor.ts'
import type { Contender } from '../measure/rounds.ts'
import { SCOPE, type Texts } from './keys.ts'

/** Counts what it has let through, to be compared with what the store says afterwards. */
export interface Counted extends Contender {
  total: number
}

/** `miftah` with these headers, one after the other. */
export function miftahContender(
  name: string,
  {
    keys,
    headers,
    accepted = 1,
  }: {
    readonly keys: ApiKeys
    readonly headers: Texts
    readonly accepted?: number
  },
): Counted {
  let inputs: readonly string[] = []
  return {
    name,
    accepted,
    total: 0,
    prepare: (count) => {
      inputs = headers.draw(count)
    },
    async run() {
      let passed = 0
      for (const input of inputs) {
        const auth = await keys.authenticate(input, SCOPE)
        if (auth.ok && auth.key.workspaceId !== '') passed += 1
      }
      this.total += passed
      return passed
    },
  }
}

/** The hand-written floor with these headers, one after the other. */
export function floorContender(name: string, floor: MemoryFloor, headers: Texts): Counted {
  let inputs: readonly string[] = []
  return {
    name,
    total: 0,
    prepare: (count) => {
      inputs = headers.draw(count)
    },
    async run() {
      let passed = 0
      for (const input of inputs) {
        const key = await floor.authenticate(input, SCOPE)
        if (key !== null && key.workspaceId !== '') passed += 1
      }
      this.total += passed
      return passed
    },
  }
}

/** A peer's check of a whole secret, one after the other. */
export function peerContender(
  name: string,
  secrets: Texts,
  check: (secret: string) => boolean | Promise<boolean>,
): Counted {
  let inputs: readonly string[] = []
  return {
    name,
    total: 0,
    prepare: (count) => {
      inputs = secrets.draw(count)
    },
    async run() {
      let passed = 0
      for (const input of inputs) if (await check(input)) passed += 1
      this.total += passed
      return passed
    },
  }
}

/** Throws unless a store holds exactly what its contender let through. */
export function sameCount({ name, total }: Counted, stored: number): void {
  if (stored !== total) throw new Error(`${name}: ${total} accepted, ${stored} stored`)
}
