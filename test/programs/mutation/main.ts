import { Stryker } from '@stryker-mutator/core'
import { startPostgres } from '../../support/postgres-server.ts'
import { PARTS, type Round } from './parts.ts'

/*
 * `npm run mutation -- core`, `-- adapters` or a part by its name; behind it, to see less at once, the number
 * of one of its rounds, and sources of that round. Fails when the score is below what the part asks
 * for.
 */

const [wanted = '', only = '', ...sources] = process.argv.slice(2)
const names =
  wanted === 'adapters' ? Object.keys(PARTS).filter((name) => name !== 'core') : [wanted]
// A tenth of the usual number of random cases: a mutant that lives takes all of them.
process.env['MIFTAH_RUNS'] ??= '0.1'

for (const name of names) {
  const part = PARTS[name]
  if (part === undefined)
    throw new Error(`There are adapters and ${Object.keys(PARTS).join(', ')}.`)
  const server = part.onPostgres ? await startPostgres() : null
  if (server !== null) process.env['MIFTAH_TEST_POSTGRES_URL'] = server.url('postgres')
  const counts = { killed: 0, survived: 0 }
  for (const [at, round] of part.rounds.entries()) {
    if (only !== '' && only !== String(at + 1)) continue
    const results = await mutate(round, `${name}-${at + 1}`)
    for (const { status } of results) {
      if (status === 'Killed' || status === 'Timeout') counts.killed += 1
      if (status === 'Survived' || status === 'NoCoverage') counts.survived += 1
    }
  }
  await server?.dispose()
  const mutants = counts.killed + counts.survived
  const score = (100 * counts.killed) / mutants
  console.log(`${name}: ${counts.killed} of ${mutants} mutants killed, ${score.toFixed(2)} %`)
  if (!(score >= part.atLeast)) process.exitCode = 1
}

function mutate({ mutate, tests, hosts = '' }: Round, report: string) {
  process.env['MIFTAH_HOSTS'] = hosts
  process.env['MIFTAH_TESTS'] = JSON.stringify(tests)
  return new Stryker({
    mutate: sources.length > 0 ? sources : [...mutate],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/programs/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    concurrency: 1,
    timeoutMS: 10_000,
    disableTypeChecks: false,
    reporters: ['progress-append-only', 'clear-text', 'json'],
    clearTextReporter: { allowColor: false, allowEmojis: false, reportTests: false },
    jsonReporter: { fileName: `.data/mutants/${report}.json` },
    tempDirName: `.data/mutation-${report}`,
    cleanTempDir: 'always',
    ignorePatterns: ['/dist', '/coverage', '/.data', '/docs/api', '/test/bench', '/test/runtimes'],
    allowConsoleColors: false,
  }).runMutationTest()
}
