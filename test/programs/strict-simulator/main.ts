import { parseArgs } from 'node:util'
import { play } from './history.ts'
import { firstFailure } from './search.ts'
import { VARIANTS } from './variants.ts'

// npm run strict:simulator -- [--histories n] [--seed n] [--nodes n]: 100,000 histories of the shipped class.

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    nodes: { type: 'string', default: '2' },
  },
})
const [histories, first, nodes] = [values.histories, values.seed, values.nodes].map(Number) as [
  number,
  number,
  number,
]
const sums = { histories, accepted: 0, fromMemory: 0, resolved: 0, staleAccepts: 0 }
for (let seed = first; seed < first + histories; seed += 1) {
  const { accepted, fromMemory, resolved, staleAccepts } = await play(seed, {}, nodes)
  sums.accepted += accepted
  sums.fromMemory += fromMemory
  sums.resolved += resolved
  sums.staleAccepts += staleAccepts
  if (staleAccepts > 0) console.log(`seed ${seed}: ${staleAccepts} stale accepts`)
}
console.log(JSON.stringify(sums))
if (sums.staleAccepts > 0) process.exitCode = 1
for (const [name, variant] of Object.entries(VARIANTS)) {
  const seed = await firstFailure(variant, 5_000)
  if (seed === null) process.exitCode = 1
  console.log(`${name}: ${seed === null ? 'NOT FOUND' : `found by seed ${seed}`}`)
}
