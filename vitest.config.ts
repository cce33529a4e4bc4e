import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { ALONE } from './test/programs/mutation/parts.ts'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Tests that need the built package: they run it by its name, or as its users do. */
const BUILT = [
  'test/package/**/*.test.ts',
  'test/host/host*.test.ts',
  'test/programs/runtimes/*.test.ts',
  'test/storage/processes/outage-without-listener.test.ts',
]

/** The tests of the core: quick ones, that need no build, no database and no browser. */
const CORE = ['test/core/**/*.test.ts', 'test/security/core.test.ts']

const project = (name: string, include: readonly string[], exclude: readonly string[] = []) => ({
  extends: true as const,
  test: { name, include: [...include], exclude: [...exclude], isolate: false },
})

export default defineConfig({
  resolve: {
    alias: [{ find: '#sha256', replacement: source('src/secret/sha256-node.ts') }],
  },
  test: {
    projects: [
      // A worker for all files and not for each: the modules are loaded once.
      {
        extends: true,
        test: { name: 'core', include: CORE, exclude: [ALONE], isolate: false },
      },
      project('core-alone', [ALONE]),
      project('storage', ['test/storage/**/*.test.ts'], BUILT),
      project('http', ['test/{http,client}/**/*.test.ts']),
      project('ui', ['test/ui/**/*.test.ts', 'test/host/settings-tab.test.ts']),
      project('house', ['test/{house,security,programs}/**/*.test.ts'], [...BUILT, ...CORE]),
      {
        extends: true,
        test: { name: 'built', include: BUILT, globalSetup: './test/support/build.ts' },
      },
    ],
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    // A machine that is ten times slower must not fail a test: these only end what hangs.
    testTimeout: 120_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    coverage: {
      include: ['src/**/*.ts'],
      reporter: [['text', { skipFull: true }]],
      thresholds: { statements: 100, branches: 100, lines: 100 },
    },
  },
})
