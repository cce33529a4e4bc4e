import { CORE_TESTS } from '../coverage/core-tests.ts'

/** Sources to mutate, the tests that must notice, and the score that is asked for. */
export interface Part {
  readonly mutate: readonly string[]
  readonly tests: readonly string[]
  readonly atLeast: number
}

export const PARTS = {
  core: { mutate: ['src/**/*.ts'], tests: CORE_TESTS, atLeast: 95 },
  http: {
    mutate: ['adapters/http/**/*.ts'],
    tests: ['test/http/**/*.test.ts'],
    atLeast: 90,
  },
  client: { mutate: ['adapters/client/*.ts'], tests: ['test/client/*.test.ts'], atLeast: 90 },
  memory: {
    mutate: ['adapters/storage/memory.ts', 'adapters/storage/memory/*.ts'],
    tests: ['test/storage/memory*.test.ts'],
    atLeast: 90,
  },
  sqlite: {
    mutate: [
      'adapters/storage/sqlite.ts',
      'adapters/storage/sqlite/*.ts',
      'adapters/storage/sql/*.ts',
    ],
    tests: ['test/storage/sqlite*.test.ts', 'test/storage/sql/*.test.ts'],
    atLeast: 90,
  },
} satisfies Readonly<Record<string, Part>>

export type PartName = keyof typeof PARTS

export function isPart(name: string): name is PartName {
  return Object.hasOwn(PARTS, name)
}
