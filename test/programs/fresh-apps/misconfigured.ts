import { mintSecret } from '../../../src/secret/mint.ts'
import { startServer } from '../../support/package/child.ts'
import { Visitor } from '../../support/package/visitor.ts'

/**
 * Starts an app whose storage cannot work: its file is in a folder that does not exist or, on a
 * runtime without SQLite, there is no driver. Requests must get 503, and standard error one sentence
 * that says what is wrong and what to do. Returns how many things were checked.
 */
export async function misconfigured(home: string, words: readonly string[]): Promise<number> {
  let said = ''
  const server = await startServer([process.execPath, ...words], home, {
    env: { MISCONFIGURED: '1' },
    onError: (text) => {
      said += text
    },
  })
  const checks = await refusals(server.port).finally(server.stop)
  return checks + saidOnce(said, NO_SQLITE)
}

/** What is wrong with a path in a folder that does not exist. */
export const NO_SQLITE = /SQLite cannot open the file|this runtime has no SQLite/

/** Two requests each to the management routes and to the guarded route, which must get 503. */
export async function refusals(port: number): Promise<number> {
  const host = new Visitor(port)
  const secret = mintSecret('svc', 'live')
  for (let tries = 0; tries < 2; tries += 1) {
    await host.expects(503, await host.manage('/api/settings/keys', null))
    await host.expects(503, await host.visit('/api/public/v1/contacts', secret))
  }
  return host.checks
}

/** Standard error must be one line that says what is `wrong`, although several requests failed. */
export function saidOnce(said: string, wrong: RegExp): number {
  const [line = '', ...more] = said.trimEnd().split('\n')
  const [, reason = ''] = line.split(/The key storage (?:cannot be used|failed in \w+): /)
  if (more.length === 0 && wrong.test(reason)) return 1
  throw new Error(`the fault was reported as ${JSON.stringify(said)}`)
}
