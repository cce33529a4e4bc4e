/** Sources, and the tests that must notice when one of them is changed. */
export interface Round {
  readonly mutate: readonly string[]
  /** They run in this order, until one fails. */
  readonly tests: readonly string[]
  /** The HTTP hosts to test, as a regular expression for their names. Default: all. */
  readonly hosts?: string
}

/** What is mutated together, and the score in per cent that it must reach. */
export interface Part {
  readonly atLeast: number
  readonly rounds: readonly Round[]
  /** Whether its tests share one PostgreSQL, started before all mutants. */
  readonly onPostgres?: boolean
}

/** It replaces a module, which must not be loaded already: it runs by itself. */
export const ALONE = 'test/core/authenticate/order.test.ts'

/* A room is judged by its own tests: stricter than by all, and quicker. */
const core: Part = {
  atLeast: 95,
  rounds: [
    { mutate: ['src/scopes/*.ts'], tests: ['test/core/scopes/*.test.ts'] },
    {
      mutate: ['src/secret/{format,mint,sha256-node,sha256-portable}.ts'],
      tests: ['test/core/secret/{format,format.property,sha256}.test.ts'],
    },
    {
      mutate: ['src/redact/*.ts'],
      tests: ['test/core/redact/*.test.ts'],
    },
    {
      mutate: ['src/authenticate/{access-check,credential}.ts'],
      tests: ['test/core/authenticate/{credential,header-vectors,requirement}.test.ts'],
    },
    {
      mutate: ['src/formats/*.ts', 'src/secret/key-format.ts'],
      tests: ['test/core/formats/*.test.ts'],
    },
    {
      mutate: ['src/http/*.ts', 'src/authenticate/http-entrance.ts'],
      tests: ['test/core/http/*.test.ts'],
    },
    // Without the properties: Stryker's runner ends on what they print of a counter-example.
    {
      mutate: ['src/keys/input/*.ts', 'src/lib/own-data.ts'],
      tests: [
        'test/core/keys/input/{bad-input,messages,name,sentences}.test.ts',
        'test/core/keys/{filters,lifecycle}.test.ts',
        'test/core/usage/*.test.ts',
      ],
    },
    {
      mutate: ['src/model/*.ts'],
      tests: [
        'test/core/keys/**/*.test.ts',
        'test/core/notices/*.test.ts',
        'test/core/storage/*.test.ts',
        'test/core/usage/*.test.ts',
      ],
    },
    {
      mutate: ['src/restrictions/*.ts'],
      tests: ['test/core/restrictions/*.test.ts', 'test/core/keys/ceiling.test.ts'],
    },
    {
      mutate: ['src/plans/*.ts'],
      tests: ['test/core/plans/*.test.ts', 'test/core/keys/lifecycle.test.ts'],
    },
    {
      mutate: ['src/limits/{check-answer,headers,limit-check,rate-limit}.ts'],
      tests: ['test/core/limits/*.test.ts'],
    },
    {
      mutate: ['src/authenticate/usage-counter.ts', 'src/usage/*.ts'],
      tests: [
        'test/core/authenticate/usage-counter.test.ts',
        'test/core/usage/*.test.ts',
        'test/core/options.test.ts',
      ],
    },
    {
      mutate: [
        'src/events/*.ts',
        'src/lib/{defined,next-turn,option-checks,poll-loop,tap}.ts',
        'src/options.ts',
      ],
      tests: [
        'test/core/notices/*.test.ts',
        'test/core/options.test.ts',
        'test/core/keys/{lifecycle,rotate-revoke}.test.ts',
        'test/core/limits/limiter.test.ts',
        'test/core/events/*.test.ts',
      ],
    },
    {
      mutate: [
        'src/storage/*.ts',
        'src/lib/{within-time,fixed-date,known-names,runtime,is-same,property}.ts',
      ],
      tests: [
        'test/core/lib/*.test.ts',
        'test/core/storage/{answer-checks,answers,record}.test.ts',
        'test/core/authenticate/faults.test.ts',
        'test/core/keys/{create-list,lifecycle,rotate-revoke}.test.ts',
        'test/core/events/list-events.test.ts',
      ],
    },
    {
      mutate: ['src/cache/{cache-options,caches,reporting-log}.ts'],
      tests: ['test/core/cache/keys.test.ts'],
    },
    {
      mutate: [
        'src/authenticate/{authenticator,known-keys}.ts',
        'src/context.ts',
        'src/lib/host-calls.ts',
      ],
      tests: [
        'test/core/authenticate/{faults,on-authentication,requirement}.test.ts',
        'test/core/events/tap.test.ts',
        'test/core/limits/limiter.test.ts',
        'test/core/usage/*.test.ts',
        'test/core/formats/*.test.ts',
        'test/core/keys/lifecycle.test.ts',
        'test/core/plans/*.test.ts',
        'test/core/storage/record.test.ts',
        'test/core/cache/keys.test.ts',
        ALONE,
      ],
    },
    {
      mutate: ['src/changes/*.ts', 'src/keys/*.ts', 'src/erasure/*.ts', 'src/api-keys.ts'],
      tests: [
        'test/core/{changes,keys}/*.test.ts',
        'test/core/{formats,plans,restrictions,usage}/*.test.ts',
        'test/core/events/{list-events,tap}.test.ts',
        'test/core/http/cleartext.test.ts',
        'test/core/options.test.ts',
        'test/core/storage/answers.test.ts',
      ],
    },
  ],
}

/* Nobody can try the protocol by hand, so its score must be higher. */
const cache: Part = {
  atLeast: 98,
  rounds: [
    {
      mutate: ['src/cache/{barrier,key-cache,lease,strict-cache,sweep}.ts'],
      tests: ['test/core/cache/*.test.ts', 'test/programs/strict-simulator/*.test.ts'],
    },
  ],
}

const MANAGEMENT = [
  'bodies',
  'cross-site',
  'failures',
  'identity.ci',
  'operations',
  'unparsed-bodies',
]
  .map((name) => `test/http/management/${name}.test.ts`)
  .concat('test/http/management/mounting.test.ts')

const GUARDS = [
  ...['verdicts', 'credentials', 'options', 'rate-limits', 'connections', 'http2', 'mounting'],
  ...['repeated-lines', 'restrictions'],
].map((name) => `test/http/guards/${name}.test.ts`)

function host(name: string, sources: readonly string[], tests: readonly string[] = []): Round {
  return {
    mutate: sources.map((source) => `adapters/http/${source}.ts`),
    tests: [...tests, ...GUARDS, ...MANAGEMENT, 'test/http/answered-elsewhere.test.ts'],
    hosts: name,
  }
}

const http: Part = {
  atLeast: 90,
  rounds: [
    {
      mutate: ['adapters/http/lib/management/{*,wire/*}.ts'],
      tests: [
        'test/http/management/{answers,calls,documented-codes,lifecycle,openapi}.test.ts',
        'test/http/management/{shown-workspace,staff,usage}.test.ts',
        'test/client/*.test.ts',
        ...MANAGEMENT,
      ],
      hosts: '^fetch',
    },
    {
      mutate: ['adapters/lib/faults/*.ts', 'adapters/http/lib/faults/report.ts'],
      tests: [
        'test/http/faults/{words,listeners,sqlite,host,postgres,replica}.test.ts',
        'test/http/management/failures.test.ts',
      ],
      hosts: '^fetch',
    },
    host('^fetch', ['fetch', 'lib/{call,web,secured}']),
    {
      mutate: ['adapters/http/lib/endpoints/*.ts', 'adapters/http/lib/metadata-claims.ts'],
      tests: ['test/http/endpoints/{introspection,revocation,forward-auth}.test.ts'],
      hosts: '^fetch',
    },
    host(
      '^express',
      ['express', 'lib/vary', 'lib/node/{header-lines,to-node}'],
      ['test/http/lib/**/*.test.ts', 'test/http/refused-bodies.test.ts'],
    ),
    host('^(express|fastify)', ['lib/node/side']),
    host('^fastify', ['fastify']),
    host('^hono', ['hono'], ['test/http/{guards,management}/hono.test.ts']),
    host('nestjs', ['nestjs', 'lib/nestjs/*'], ['test/http/{guards,management}/nestjs.test.ts']),
  ],
}

function adapter(mutate: readonly string[], tests: readonly string[]): Part {
  return { atLeast: 90, rounds: [{ mutate, tests }] }
}

const SQLITE = ['storage', 'driver', 'locked', 'migrations', 'schema', 'waiting'].map(
  (name) => `test/storage/sqlite/${name}.test.ts`,
)

const sqlite: Part = {
  atLeast: 90,
  rounds: [
    {
      mutate: [
        'adapters/storage/lib/sqlite/{connection,driver,errors,lock-queue,migrations,session}.ts',
      ],
      tests: SQLITE,
    },
    {
      mutate: [
        'adapters/storage/sqlite.ts',
        'adapters/storage/lib/sqlite/{diagnosis,dialect,schema,write}.ts',
        'adapters/storage/lib/sql/{cells,columns,conditions,dialect,erasure,events,hash-bytes,keys,rows,sql,storage,usage,work}.ts',
      ],
      tests: [...SQLITE, 'test/storage/sqlite/contract.test.ts'],
    },
  ],
}

const mysql: Part = {
  atLeast: 90,
  rounds: [
    {
      mutate: ['adapters/storage/mysql.ts', 'adapters/storage/lib/mysql/*.ts'],
      tests: [
        'test/storage/mysql/*.test.ts',
        'test/storage/change-log.test.ts',
        'test/cli/mysql.test.ts',
      ],
    },
  ],
}

const postgres: Part = {
  atLeast: 90,
  onPostgres: true,
  rounds: [
    {
      mutate: ['adapters/storage/lib/postgres/{ask,calls,driver,errors,listener,readiness}.ts'],
      tests: ['test/storage/postgres/{driver,errors,listener,lookups,readiness,storage}.test.ts'],
    },
    {
      mutate: [
        'adapters/storage/postgres.ts',
        'adapters/storage/lib/postgres/{answers,change-log,erasure,lookups,pages,relay,schema,sql,usage,write}.ts',
      ],
      tests: [
        'test/storage/{,postgres/}change-log.test.ts',
        'test/storage/postgres/{contract,roles,round-trips,schema,storage}.test.ts',
      ],
    },
  ],
}

const tab: Part = {
  atLeast: 90,
  rounds: [
    {
      mutate: ['adapters/ui/form/{draft,expiry}.ts', 'adapters/ui/calls/failure.ts'],
      tests: ['test/ui/state/{draft,expiry,failure}.test.ts'],
    },
    {
      mutate: ['adapters/ui/list/{catalogue,key-list,listed-key}.ts'],
      tests: ['test/ui/state/listed-key.test.ts', 'test/ui/format/days-and-search.test.ts'],
    },
    {
      mutate: [
        'adapters/ui/format/{dates,days,locale,text}.ts',
        'adapters/ui/strings/translator.ts',
      ],
      tests: ['test/ui/format/*.test.ts', 'test/ui/strings.test.ts'],
    },
  ],
}

export const PARTS: Readonly<Record<string, Part>> = {
  core,
  cache,
  http,
  client: adapter(['adapters/client/*.ts'], ['test/client/*.test.ts']),
  memory: adapter(
    ['adapters/storage/memory.ts', 'adapters/storage/lib/memory/*.ts'],
    ['test/storage/memory*.test.ts'],
  ),
  cli: adapter(
    [
      'adapters/cli/{command,command-line,config,database,errors,output,run}.ts',
      'adapters/cli/{commands,serve}/*.ts',
      // Its tests start servers of their own.
      'adapters/storage/lib/postgres/diagnosis.ts',
    ],
    ['test/cli/*.test.ts'],
  ),
  copy: adapter(['adapters/storage/lib/copy/*.ts'], ['test/cli/copy.test.ts']),
  'rate-limit': adapter(
    ['adapters/rate-limit/index.ts'],
    ['test/rate-limit/flexible-limiter.test.ts'],
  ),
  otel: adapter(['adapters/otel/{meter-cache,metered}.ts'], ['test/otel/*.test.ts']),
  sql: adapter(
    ['adapters/storage/lib/*.ts'],
    [
      'test/storage/lib/*.test.ts',
      'test/storage/postgres/{change-log,errors,lookups,readiness}.test.ts',
      'test/cli/doctor.test.ts',
      'test/storage/sqlite/{contract,plans}.test.ts',
    ],
  ),
  sqlite,
  postgres,
  mysql,
  tab,
}

/** Sources that are in no part, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'src/lib/platform.d.ts': 'only types',
  'src/{index,cache/stats,keys/api-key,keys/key-action,limits/limiter,storage/diagnosis}.ts':
    'only exports and types',
  'adapters/cli/main.ts': 'starts the rest, which is tested',
  'adapters/{client,otel}/index.ts': 'only exports and types',
  'adapters/http/lib/host-types.ts': 'only exports and types',
  'adapters/storage/testing/*.ts':
    'a test itself: test/storage/contract.test.ts breaks storages for it',
  'adapters/ui/build/*.ts': 'run by the build, whose result is tested',
  'adapters/ui/*.ts': 'drawn in a browser: a browser for each mutant takes hours',
  'adapters/ui/{banner,details,look,menu,question,styles,tab}/*.ts': 'drawn in a browser',
  'adapters/ui/form/{form,resources,restrictions,rights,scopes}.ts': 'drawn in a browser',
  'adapters/ui/list/{bar,facts,key-actions,table}.ts': 'drawn in a browser',
  'adapters/ui/calls/{client,source}.ts': 'moves what a browser shows',
  'adapters/ui/format/language.ts': 'reads the page of a browser',
  'adapters/react/*.ts': 'drawn in a browser',
  'adapters/ui/strings/{ar,en,later-ar,later-en,messages}.ts':
    'sentences: people read them, no test can',
}
