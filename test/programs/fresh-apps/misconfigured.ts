import { startServer } from '../../support/package/child.ts'
import { Visitor } from '../../support/package/visitor.ts'

/**
 * Starts an app whose storage cannot work: its file is in a folder that does not exist or, on a
 * runtime without SQLite, there is no driver. Requests must get 503, and standard error one sentence
 * that says what is wrong and what to do. Answers how many things were checked.
 */
export async function misconfigured(home: string, words: readonly string[]): Promise<number> {
  let said = ''
  const server = await startServer([process.execPath, 'app.js', ...words], home, {
    env: { MISCONFIGURED: '1' },
    onError: (text) => {
      said += text
    },
  })
  const checks = await refusals(server.port).finally(server.stop)
  if (!SENTENCE.test(said)) throw new Error(`the fault was reported as ${JSON.stringify(said)}`)
  return checks + 1
}

async function refusals(port: number): Promise<number> {
  const host = new Visitor(port)
  for (let tries = 0; tries < 2; tries += 1) {
    await host.expects(503, await host.manage('/api/settings/keys', null))
  }
  return host.checks
}

/** Once, although two requests failed. */
const SENTENCE =
  /^[^\n]*The key storage cannot be used: (?:SQLite cannot open the file|this runtime has no SQLite)[^\n]*\n$/
