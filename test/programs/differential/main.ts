import { compareMany, type Tally } from './header-differential.ts'

/*
 * npm run differential -- [runs] [seed]
 * Many millions of headers in rounds. Each round has its own seed, and the message of a failure has
 * it, so that the round can be run again alone.
 */

const ROUND = 250_000

const total = Number(process.argv[2] ?? 20_000_000)
const first = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 31))
const all: Tally = new Map()
const startMs = performance.now()
console.log(`${total} headers, first seed ${first}`)
for (let done = 0; done < total; done += ROUND) {
  const tally = compareMany(Math.min(ROUND, total - done), (first + done / ROUND) | 0)
  for (const [kind, count] of tally) all.set(kind, (all.get(kind) ?? 0) + count)
}
const seconds = Math.round((performance.now() - startMs) / 1_000)
console.log(`no difference, ${seconds} s`, Object.fromEntries(all))
