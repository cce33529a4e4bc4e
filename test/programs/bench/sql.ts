import type { ApiKeys } from 'miftah'
import { asksFor, issueKeys, storedUses } from './keys.ts'
import {
  asked,
  type Bench,
  figure,
  type Measurement,
  measure,
  mustAgree,
  planOf,
  type Table,
} from './measure.ts'
import { type FloorTable, SqlFloor } from './sql-floor.ts'

export const MIFTAH = 'miftah'
export const ONE = 'one prepared SELECT by hash'
export const MANY = 'hand-written coalescing'

/** How many callers ask at once. */
const CALLERS = [1, 64] as const

/** miftah, an empty table for each floor, and somebody else, each with connections of its own. */
interface Sides {
  readonly keys: ApiKeys
  readonly tables: readonly [FloorTable, FloorTable]
  readonly peer?: {
    readonly name: string
    readonly secrets: readonly string[]
    readonly verify: (secret: string) => Promise<boolean>
  }
}

/** Lets all ask with the same 1,000 keys; answers what each number of callers has shown. */
export async function contest(bench: Bench, { keys, tables, peer }: Sides) {
  const headers = await issueKeys(keys)
  const one = new SqlFloor(tables[0], { isCoalesced: false })
  const many = new SqlFloor(tables[1], { isCoalesced: true })
  for (const floor of [one, many]) await floor.fill(headers)
  const totals = new Map<string, number>()
  const measured: Measurement[] = []
  for (const callers of CALLERS) {
    bench.log(`${callers} at once`)
    const contenders = [
      asked(ONE, headers, one.accepts, { callers }),
      asked(MANY, headers, many.accepts, { callers }),
      asked(MIFTAH, headers, asksFor(keys), { callers }),
      ...(peer ? [asked(peer.name, peer.secrets, peer.verify, { callers })] : []),
    ]
    measured.push(await measure(contenders, planOf(bench, 21, 400)))
    for (const { name, total } of contenders) totals.set(name, total + (totals.get(name) ?? 0))
  }
  mustAgree(MIFTAH, totals.get(MIFTAH) ?? 0, await storedUses(keys))
  mustAgree(ONE, totals.get(ONE) ?? 0, await one.stored())
  mustAgree(MANY, totals.get(MANY) ?? 0, await many.stored())
  const [alone, together] = measured as [Measurement, Measurement]
  return { headers, alone, together }
}

/** Rates by the number of callers, and the speed of miftah as a multiple of each other. */
export function rateTables(
  server: string,
  { alone, together }: { readonly alone: Measurement; readonly together: Measurement },
  others: readonly string[],
): readonly Table[] {
  const head = ['', ...CALLERS.map((callers) => `${figure(callers)} at once`)]
  const row = (name: string, cell: (one: Measurement) => string) => {
    return [name, cell(alone), cell(together)]
  }
  const names = [...others, MIFTAH]
  return [
    {
      ...{ title: `${server}, 1,000 keys: authentications a second`, head },
      rows: names.map((name) => row(name, (one) => figure(one.rate(name)))),
    },
    {
      ...{ title: `${server}: the speed of miftah as a multiple of each other`, head },
      rows: others.map((name) => row(name, (one) => figure(one.ratio(name, MIFTAH)))),
    },
  ]
}
