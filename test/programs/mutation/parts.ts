/** Sources, and the tests that must notice when one of them is changed. */
export interface Round {
  readonly mutate: readonly string[]
  /** They run in this order, until one fails. */
  readonly tests: readonly string[]
  /** Of the HTTP hosts that a test knows, those whose name fits. Default: all. */
  readonly hosts?: string
}

/** What is mutated together, and the score in per cent that is asked for. */
export interface Part {
  readonly atLeast: number
  readonly rounds: readonly Round[]
  /** Whether its tests share one PostgreSQL, started before all mutants. */
  readonly onPostgres?: boolean
}

/** It replaces a module, which must not be loaded already: it runs by itself. */
export const ALONE = 'test/authenticate/order.test.ts'

/* A room is judged by its own tests: stricter than by all, and quicker. */
const core: Part = {
  atLeast: 95,
  rounds: [
    { mutate: ['src/scopes/*.ts'], tests: ['test/scopes/*.test.ts'] },
    {
      mutate: ['src/secret/{base62,checksum,format,mint}.ts', 'src/hash/*.ts'],
      tests: ['test/secret/{format,format.property,sha256}.test.ts'],
    },
    { mutate: ['src/secret/redact.ts'], tests: ['test/secret/redact{,.property}.test.ts'] },
    {
      mutate: ['src/authenticate/bearer.ts'],
      tests: ['test/authenticate/{bearer,header-vectors}.test.ts'],
    },
    { mutate: ['src/http/*.ts'], tests: ['test/http/*.test.ts'] },
    // Without the properties: Stryker's runner ends on what they print of a counter-example.
    {
      mutate: ['src/input/*.ts', 'src/errors.ts'],
      tests: ['test/input/{bad-input,messages,name}.test.ts'],
    },
    { mutate: ['src/plans/*.ts'], tests: ['test/plans/*.test.ts'] },
    { mutate: ['src/usage/*.ts'], tests: ['test/usage/*.test.ts'] },
    {
      mutate: ['src/events/*.ts', 'src/{demand,options,tap}.ts'],
      tests: ['test/events/*.test.ts', 'test/lifecycle/options.test.ts'],
    },
    {
      mutate: ['src/storage/*.ts', 'src/{fixed-date,runtime}.ts'],
      tests: [
        'test/{fixed-date,runtime}.test.ts',
        'test/storage/{answers,deadline,record}.test.ts',
        'test/authenticate/faults.test.ts',
        'test/lifecycle/{create-list,rotate-revoke}.test.ts',
        'test/events/list-events.test.ts',
      ],
    },
    {
      mutate: ['src/authenticate/{authenticator,denial,known-key}.ts', 'src/context.ts'],
      tests: [
        'test/authenticate/known-key.test.ts',
        'test/authenticate/faults.test.ts',
        'test/events/tap.test.ts',
        'test/plans/*.test.ts',
        'test/storage/record.test.ts',
        ALONE,
      ],
    },
    {
      mutate: ['src/lifecycle/*.ts', 'src/api-keys.ts'],
      tests: [
        'test/lifecycle/*.test.ts',
        'test/events/{list-events,tap}.test.ts',
        'test/storage/answers.test.ts',
      ],
    },
  ],
}

const MANAGEMENT = ['bodies', 'cross-site', 'failures', 'identity', 'operations', 'unparsed-bodies']
  .map((name) => `test/http/management/${name}.test.ts`)
  .concat('test/http/management/mounting.test.ts')

const GUARDS = ['connections', 'http2', 'mounting', 'repeated-lines', 'verdicts'].map(
  (name) => `test/http/guards/${name}.test.ts`,
)

function host(name: string, sources: readonly string[], tests: readonly string[] = []): Round {
  return {
    mutate: sources.map((source) => `adapters/http/${source}.ts`),
    tests: [...tests, ...GUARDS, ...MANAGEMENT],
    hosts: name,
  }
}

const http: Part = {
  atLeast: 90,
  rounds: [
    {
      mutate: ['adapters/http/management/*.ts', 'adapters/http/management.ts'],
      tests: [
        'test/http/management/answers.test.ts',
        'test/http/management/calls.test.ts',
        'test/http/management/openapi.test.ts',
        'test/client/*.test.ts',
        ...MANAGEMENT,
        'test/http/management/repeated-field.property.test.ts',
      ],
      hosts: '^fetch',
    },
    {
      mutate: ['adapters/http/secret-scanning/*.ts', 'adapters/http/secret-scanning.ts'],
      tests: ['test/http/secret-scanning/*.test.ts'],
      hosts: '^fetch',
    },
    host('^fetch', ['fetch', 'web', 'secured', 'tell', 'vary'], ['test/http/vary.test.ts']),
    host(
      '^express',
      ['express', 'node/{call,header-lines,response}'],
      ['test/http/node/*.test.ts', 'test/http/secret-scanning/{deliveries,mounting}.test.ts'],
    ),
    host(
      '^fastify',
      ['fastify', 'node/reply'],
      ['test/http/secret-scanning/{deliveries,mounting}.test.ts'],
    ),
    host('^hono', ['hono'], ['test/http/{guards,management}/hono.test.ts']),
    host('nestjs', ['nestjs', 'nest/*'], ['test/http/{guards,management}/nestjs.test.ts']),
  ],
}

function adapter(mutate: readonly string[], tests: readonly string[]): Part {
  return { atLeast: 90, rounds: [{ mutate, tests }] }
}

const SQLITE = ['', '-driver', '-migrations', '-texts', '-waiting'].map(
  (name) => `test/storage/sqlite${name}.test.ts`,
)

const sqlite: Part = {
  atLeast: 90,
  rounds: [
    {
      mutate: ['adapters/storage/sqlite/{migrate,schema}.ts'],
      tests: [...SQLITE, 'test/storage/sqlite-constraints.test.ts'],
    },
    {
      mutate: [
        'adapters/storage/sqlite.ts',
        'adapters/storage/sqlite/{driver,session,transaction}.ts',
      ],
      tests: SQLITE,
    },
    {
      mutate: ['adapters/storage/sqlite/{events,hash-bytes,keys,statements,usage}.ts'],
      tests: [...SQLITE, 'test/storage/sqlite-contract.test.ts'],
    },
  ],
}

const postgres: Part = {
  atLeast: 90,
  onPostgres: true,
  rounds: [
    {
      mutate: ['adapters/storage/postgres/{key-line,literals}.ts'],
      tests: ['test/storage/postgres-lines.test.ts'],
    },
    {
      mutate: [
        'adapters/storage/postgres.ts',
        'adapters/storage/postgres/{alarms,answers,calls,driver,errors,lookups,names,readiness}.ts',
      ],
      tests: ['test/storage/postgres/*.test.ts'],
    },
    {
      mutate: ['adapters/storage/postgres/statements.ts'],
      tests: [
        'test/storage/postgres/{answers,storage}.test.ts',
        'test/storage/postgres-contract.test.ts',
      ],
    },
    {
      mutate: ['adapters/storage/postgres/schema/*.ts'],
      tests: ['test/storage/postgres-{contract,schema}.test.ts'],
    },
  ],
}

const tab: Part = {
  atLeast: 90,
  rounds: [
    {
      mutate: ['adapters/ui/state/{draft,failure,outcome}.ts'],
      tests: ['test/ui/state/{draft,failure}.test.ts'],
    },
    { mutate: ['adapters/ui/state/key-list.ts'], tests: ['test/ui/state/key-list.test.ts'] },
    {
      mutate: ['adapters/ui/state/scope-catalogue.ts'],
      tests: ['test/ui/state/scope-catalogue.test.ts'],
    },
    {
      mutate: ['adapters/ui/format/{dates,locale,text}.ts', 'adapters/ui/strings/translator.ts'],
      tests: ['test/ui/format/*.test.ts', 'test/ui/strings.test.ts'],
    },
  ],
}

export const PARTS: Readonly<Record<string, Part>> = {
  core,
  http,
  client: adapter(['adapters/client/*.ts'], ['test/client/*.test.ts']),
  memory: adapter(
    ['adapters/storage/memory.ts', 'adapters/storage/memory/*.ts'],
    ['test/storage/memory*.test.ts'],
  ),
  sql: adapter(['adapters/storage/sql/*.ts'], ['test/storage/sql/*.test.ts']),
  sqlite,
  postgres,
  tab,
}

/** Sources that are in no part, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'src/{index,api-key}.ts': 'only exports and types',
  'adapters/client/{index,wire}.ts': 'only exports and types',
  'adapters/storage/testing/*.ts':
    'a test itself: test/storage/contract.test.ts breaks storages for it',
  'adapters/ui/build/*.ts': 'run by the build, whose result is tested',
  'adapters/ui/*.ts': 'drawn in a browser: a browser for each mutant takes hours',
  'adapters/ui/{parts,styles}/*.ts': 'drawn in a browser',
  'adapters/ui/format/language.ts': 'reads the page of a browser',
  'adapters/ui/state/{announcer,confirmation,copying,create-form,dialog-keeper}.ts':
    'moves what a browser shows',
  'adapters/ui/state/{host,reveal,reveals,tab,tab-model,tab-states}.ts':
    'moves what a browser shows',
  'adapters/ui/strings/{ar,en,messages}.ts': 'sentences: people read them, no test can',
}
