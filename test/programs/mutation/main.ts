import { Stryker } from '@stryker-mutator/core'
import { startPostgres } from '../../support/postgres-server.ts'

/*
 * `npm run mutation -- core`, `-- adapters` (every other part) or a part by its name; behind the name, the
 * sources to mutate, to see less at once. Fails when a part's score is below what it asks for.
 */

/** Sources, the tests of the same room that must notice a change of them, and the score to reach in per cent. */
interface Part {
  readonly atLeast?: number
  readonly mutate: readonly string[]
  readonly tests: readonly string[]
  /** The HTTP hosts to test, as a regular expression for their names. Default: all. */
  readonly hosts?: string
}

function host(hosts: string, sources: string, tests: readonly string[] = []): Part {
  const shared = ['test/http/{guards,management}/*.test.ts', 'test/http/*.test.ts']
  return { mutate: [`adapters/http/${sources}.ts`], tests: [...shared, ...tests], hosts }
}

const sql = 'test/storage/{,lib/,sqlite/}*.test.ts'

/** Not here: `adapters/ui` but for its logic, and `adapters/react`: a browser for each mutant takes hours. */
const PARTS: Readonly<Record<string, Part>> = {
  core: { atLeast: 95, mutate: ['src/**/*.ts', '!src/cache/*'], tests: ['test/core/**/*.test.ts'] },
  cache: {
    // Nobody can try the protocol by hand, so its score must be higher.
    atLeast: 98,
    mutate: ['src/cache/*.ts'],
    tests: [
      'test/core/{cache/*,wrong-options}.test.ts',
      'test/programs/strict-simulator/*.test.ts',
    ],
  },
  management: {
    mutate: ['adapters/http/lib/{endpoints,management}/**/*.ts', 'adapters/http/lib/*-claims.ts'],
    tests: ['test/http/{management,endpoints}/*.test.ts', 'test/http/*.test.ts'],
    // Forms that a parser has read.
    hosts: '^(fetch|express, parsed)$',
  },
  faults: {
    mutate: ['adapters/lib/**/*.ts', 'adapters/http/lib/faults/*.ts'],
    tests: ['test/http/faults/*.test.ts', 'test/http/management/refusals.test.ts'],
    hosts: '^fetch',
  },
  fetch: host('^fetch', '{fetch,lib/call,lib/web,lib/headers}'),
  express: host('^(express|fastify)', '{express,lib/node/*}', [
    'test/http/lib/**/*.test.ts',
    'test/http/refused-bodies.test.ts',
  ]),
  fastify: host('^fastify', 'fastify'),
  hono: host('^hono', 'hono'),
  nestjs: host('nestjs', 'nestjs'),
  client: { mutate: ['adapters/client/*.ts'], tests: ['test/client/*.test.ts'] },
  memory: {
    mutate: ['adapters/storage/memory.ts', 'adapters/storage/lib/memory/*.ts'],
    tests: ['test/storage/memory*.test.ts'],
  },
  sql: { mutate: ['adapters/storage/lib/{,sql/}*.ts'], tests: [sql] },
  sqlite: { mutate: ['adapters/storage/{sqlite,lib/sqlite/*}.ts'], tests: [sql] },
  postgres: {
    mutate: ['adapters/storage/{postgres,lib/postgres/*}.ts'],
    tests: ['test/storage/{,postgres/}*.test.ts'],
  },
  mysql: {
    // No other database keeps a log without triggers.
    mutate: ['adapters/storage/{mysql,lib/mysql/*}.ts', 'adapters/storage/lib/sql/*log.ts'],
    tests: ['test/storage/{,mysql/}*.test.ts'],
  },
  copy: {
    atLeast: 85,
    mutate: ['adapters/storage/lib/copy/*.ts'],
    tests: ['test/cli/copy.test.ts'],
  },
  cli: { mutate: ['adapters/cli/**/*.ts', '!**/main.ts'], tests: ['test/cli/*.test.ts'] },
  'rate-limit': { mutate: ['adapters/rate-limit/*.ts'], tests: ['test/rate-limit/*.test.ts'] },
  otel: { mutate: ['adapters/otel/*.ts'], tests: ['test/otel/*.test.ts'] },
  tab: {
    mutate: [
      'adapters/ui/form/{draft,expiry}.ts',
      'adapters/ui/calls/failure.ts',
      'adapters/ui/format/{dates,locale,text}.ts',
      'adapters/ui/strings/translator.ts',
    ],
    tests: ['test/ui/{draft,failure,locale,strings}.test.ts'],
  },
}

const [wanted = '', ...sources] = process.argv.slice(2)
const others = Object.keys(PARTS).filter((name) => name !== 'core')
// A tenth of the usual number of random cases: a mutant that lives takes all of them.
process.env['MIFTAH_RUNS'] ??= '0.1'
for (const name of wanted === 'adapters' ? others : [wanted]) {
  const part = PARTS[name]
  if (part === undefined) throw new Error(`There are adapters, core, ${others.join(', ')}.`)
  // One server for all mutants.
  const server = name === 'postgres' ? await startPostgres() : null
  if (server !== null) process.env['MIFTAH_TEST_POSTGRES_URL'] = server.url('postgres')
  await mutate(name, part).finally(() => server?.dispose())
}

function mutate(name: string, { mutate, tests, hosts = '', atLeast = 90 }: Part) {
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
    thresholds: { high: 100, low: atLeast, break: atLeast },
    reporters: ['progress-append-only', 'clear-text', 'json'],
    clearTextReporter: { allowColor: false, allowEmojis: false, reportTests: false },
    jsonReporter: { fileName: `.data/mutants/${name}.json` },
    tempDirName: `.data/mutation-${name}`,
    cleanTempDir: 'always',
    ignorePatterns: ['/dist', '/coverage', '/.data', '/docs/api'],
    allowConsoleColors: false,
  }).runMutationTest()
}
