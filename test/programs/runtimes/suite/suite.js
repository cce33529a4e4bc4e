import { runGroup } from './checks.js'
import { memoryContract } from './contracts.js'
import { authentication, failures, minting, usage } from './core.js'
import { headerCases, verdicts } from './guard.js'
import { client, operations, refusals } from './management.js'

const GROUPS = [
  ['core: minting and SHA-256', minting],
  ['core: authentication', authentication],
  ['core: failures', failures],
  ['core: uses', usage],
  ['fetch: Authorization headers', headerCases],
  ['fetch: verdicts', verdicts],
  ['management: operations', operations],
  ['management: refusals', refusals],
  ['management: client', client],
]

/** Everything that needs nothing but a JavaScript runtime with the Web's interfaces. */
export async function runSuite({ without = [] } = {}) {
  const results = []
  for (const [name, fill] of GROUPS) {
    if (!without.includes(name)) results.push(await runGroup(name, fill))
  }
  results.push(await memoryContract())
  return results
}
