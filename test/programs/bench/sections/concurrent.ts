import type { Counted } from './contenders.ts'
import type { Texts } from './keys.ts'

/** A check under load: so many callers at once, each beginning anew when it has its answer. */
export function concurrentContender(
  name: string,
  {
    inputs,
    check,
    callers,
  }: {
    readonly inputs: Texts
    readonly check: (input: string) => Promise<boolean> | boolean
    readonly callers: number
  },
): Counted {
  let drawn: readonly string[] = []
  return {
    name,
    total: 0,
    prepare: (count) => {
      drawn = inputs.draw(count)
    },
    async run() {
      let next = 0
      let passed = 0
      const call = async () => {
        for (let input = drawn[next++]; input !== undefined; input = drawn[next++]) {
          if (await check(input)) passed += 1
        }
      }
      await Promise.all(Array.from({ length: callers }, call))
      this.total += passed
      return passed
    },
  }
}
