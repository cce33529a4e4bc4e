/** Which tests run together, and what they need before. */
export interface Project {
  readonly include: string[]
  readonly exclude?: string[]
  readonly globalSetup?: string | string[]
  readonly setupFiles?: string
  readonly testTimeout?: number
  /** Whether each file gets a worker with modules of its own. Default: the files share them. */
  readonly isolate?: boolean
}

/** Tests that take too long for `npm test`. CI runs them, as does `npm run test:ci`. */
const IN_CI = 'test/**/*.ci.test.ts'

/** Tests that need the built package: they run it by its name, or as its users do. */
const BUILT = [
  'test/package/**/*.test.ts',
  'test/host/host*.test.ts',
  'test/programs/runtimes/*.test.ts',
]

/** Tests with random inputs: in `npm test` always the same, in `npm run test:ci` new ones. */
export const PROPERTIES = ['test/**/*.property.test.ts', 'test/storage/model/*.test.ts']

/** The tests of the core: quick ones, that need no build, no database and no browser. */
const CORE = ['test/core/**/*.test.ts']

/** It replaces a module, which must not be loaded already: it runs by itself. */
export const ALONE = 'test/core/authenticate/order.test.ts'

/** Every test file belongs to exactly one. */
export const PROJECTS: Readonly<Record<string, Project>> = {
  core: { include: CORE, exclude: [ALONE, ...PROPERTIES] },
  'core-alone': { include: [ALONE], isolate: true },
  storage: { include: ['test/storage/**/*.test.ts'], exclude: [...BUILT, ...PROPERTIES, IN_CI] },
  http: {
    include: ['test/{http,client,rate-limit,otel,cli}/**/*.test.ts'],
    exclude: [...PROPERTIES, IN_CI],
  },
  ui: {
    include: ['test/{ui,react}/**/*.test.ts'],
    exclude: [IN_CI],
  },
  house: {
    include: ['test/{house,security,programs}/**/*.test.ts'],
    exclude: [...BUILT, ...PROPERTIES, IN_CI],
  },
  properties: {
    include: PROPERTIES,
    setupFiles: './test/support/seed.ts',
    // `npm run test:long` tries each property five times as often.
    testTimeout: 600_000,
  },
  built: { include: BUILT, exclude: [IN_CI], globalSetup: './test/support/build.ts' },
  ci: {
    include: [IN_CI],
    globalSetup: ['./test/support/build.ts', './test/support/drawn-seed.ts'],
  },
}
