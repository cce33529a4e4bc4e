import { ALONE } from '../programs/mutation/parts.ts'

/** Which tests run together, and what they need before. */
export interface Project {
  readonly include: string[]
  readonly exclude?: string[]
  readonly globalSetup?: string
  /** Whether each file gets a worker with modules of its own. Default: the files share them. */
  readonly isolate?: boolean
}

/** Tests that need the built package: they run it by its name, or as its users do. */
const BUILT = [
  'test/package/**/*.test.ts',
  'test/host/host*.test.ts',
  'test/programs/runtimes/*.test.ts',
  'test/storage/processes/outage-without-listener.test.ts',
]

/** The tests of the core: quick ones, that need no build, no database and no browser. */
const CORE = ['test/core/**/*.test.ts', 'test/security/core.test.ts']

/** Every test file belongs to exactly one. */
export const PROJECTS: Readonly<Record<string, Project>> = {
  core: { include: CORE, exclude: [ALONE] },
  'core-alone': { include: [ALONE], isolate: true },
  storage: { include: ['test/storage/**/*.test.ts'], exclude: BUILT },
  http: { include: ['test/{http,client,rate-limit,otel,cli}/**/*.test.ts'] },
  ui: { include: ['test/{ui,react}/**/*.test.ts', 'test/host/settings-tab.test.ts'] },
  house: {
    include: ['test/{house,security,programs}/**/*.test.ts'],
    exclude: [...BUILT, ...CORE],
  },
  built: { include: BUILT, globalSetup: './test/support/build.ts' },
}
