/** Sources, and the tests that must notice when one of them is changed. */
export interface Round {
  readonly mutate: readonly string[]
  readonly tests: readonly string[]
}

/** What is mutated together, and the score in per cent that is asked for. */
export interface Part {
  readonly atLeast: number
  readonly rounds: readonly Round[]
}

/** It replaces a module, which must not be loaded already: it runs by itself. */
export const ALONE = 'test/authenticate/order.test.ts'

const OF_OWN_ROUNDS = ['authenticate/bearer.ts', 'errors.ts', 'hash/*', 'http/*', 'input/*']

/* A room is judged by its own tests: stricter than by all, and quicker. */
const core: Part = {
  atLeast: 95,
  rounds: [
    { mutate: ['src/scopes/*.ts'], tests: ['test/scopes/*.test.ts'] },
    { mutate: ['src/secret/*.ts', 'src/hash/*.ts'], tests: ['test/secret/*.test.ts'] },
    {
      mutate: ['src/authenticate/bearer.ts'],
      tests: ['test/authenticate/{bearer,header-vectors}.test.ts'],
    },
    { mutate: ['src/http/*.ts'], tests: ['test/http/*.test.ts'] },
    { mutate: ['src/input/*.ts', 'src/errors.ts'], tests: ['test/input/*.test.ts'] },
    {
      mutate: [
        'src/**/*.ts',
        ...[...OF_OWN_ROUNDS, 'scopes/*', 'secret/*'].map((file) => `!src/${file}`),
      ],
      tests: [
        'test/{authenticate,events,lifecycle,plans,usage}/*.test.ts',
        'test/storage/{answers,deadline,record}.test.ts',
        'test/security/core.test.ts',
        ALONE,
      ],
    },
  ],
}

function adapter(mutate: readonly string[], tests: readonly string[]): Part {
  return { atLeast: 90, rounds: [{ mutate, tests }] }
}

export const PARTS: Readonly<Record<string, Part>> = {
  core,
  http: {
    atLeast: 90,
    rounds: ['management', 'secret-scanning'].map((room) => ({
      mutate: [`adapters/http/${room}/*.ts`, `adapters/http/${room}.ts`],
      tests: [`test/http/${room}/*.test.ts`],
    })),
  },
  guards: adapter(
    ['adapters/http/{express,fastify,fetch,hono,nestjs,secured,tell,vary,web}.ts'].concat([
      'adapters/http/{nest,node}/*.ts',
    ]),
    ['test/http/{guards,management}/*.test.ts'],
  ),
  client: adapter(['adapters/client/*.ts'], ['test/client/*.test.ts']),
  memory: adapter(
    ['adapters/storage/memory.ts', 'adapters/storage/memory/*.ts'],
    ['test/storage/memory*.test.ts'],
  ),
  sqlite: adapter(
    ['adapters/storage/sqlite.ts', 'adapters/storage/{sqlite,sql}/*.ts'],
    ['test/storage/sqlite*.test.ts'],
  ),
}
