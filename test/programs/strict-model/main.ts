import { boundsFor, SAFE, SAFE_LONG, TOO_SHORT } from './configurations.ts'
import { explore } from './explore.ts'
import { BUGS } from './rules.ts'
import type { Bounds } from './state.ts'

// npm run strict:model -- [--long]: every state of the protocol within bounds.

const safe = process.argv.includes('--long') ? SAFE_LONG : SAFE
const shown = ({ revokers, ...rest }: Bounds) => JSON.stringify({ ...rest, keys: revokers })

for (const [name, bounds] of Object.entries(safe)) {
  const { states, transitions, violation } = explore(bounds)
  if (violation !== null) process.exitCode = 1
  const verdict = violation === null ? 'safe' : `UNSAFE: ${violation.join('; ')}`
  console.log(`${name} ${shown(bounds)}: ${verdict}, ${states} states, ${transitions} transitions`)
}
const mistakes = [
  ...BUGS.map((bug) => ({ name: bug, ...explore(boundsFor(bug), bug) })),
  ...Object.entries(TOO_SHORT).map(([name, bounds]) => ({ name, ...explore(bounds) })),
]
for (const { name, violation } of mistakes) {
  if (violation === null) process.exitCode = 1
  console.log(`${name}: ${violation === null ? 'NOT FOUND' : violation.join('; ')}`)
}
