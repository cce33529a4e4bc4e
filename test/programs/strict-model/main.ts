import { check, MISTAKES, SAFE, SAFE_LONG, TOO_SHORT } from './check.ts'

// npm run strict:model -- [--long]: every state of the protocol within bounds, by spin.

for (const [name, bounds] of Object.entries(process.argv.includes('--long') ? SAFE_LONG : SAFE)) {
  const { isSafe, states } = check(bounds)
  if (!isSafe) process.exitCode = 1
  console.log(`${name} ${JSON.stringify(bounds)}: ${isSafe ? 'safe' : 'UNSAFE'}, ${states} states`)
}
const wrong = [
  ...Object.entries(MISTAKES).map(([name, bounds], at) => ({ name, bounds, bug: at + 1 })),
  ...Object.entries(TOO_SHORT).map(([name, bounds]) => ({ name, bounds, bug: 0 })),
]
for (const { name, bounds, bug } of wrong) {
  const { isSafe } = check(bounds, bug)
  if (isSafe) process.exitCode = 1
  console.log(`${name}: ${isSafe ? 'NOT FOUND' : 'found'}`)
}
