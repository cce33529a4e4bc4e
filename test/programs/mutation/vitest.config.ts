import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { ALONE } from '../../support/projects.ts'

// Stryker runs this in a copy of the project, whose root is found from here.
const root = fileURLToPath(new URL('../../..', import.meta.url))
const tests: readonly string[] = JSON.parse(process.env['MIFTAH_TESTS'] ?? '[]')
// Stryker's runner ends on what a property prints of a counter-example.
const left = ['**/*.property.test.ts', '**/*.ci.test.ts']

export default defineConfig({
  root,
  resolve: { alias: [{ find: '#sha256', replacement: `${root}src/secret/sha256-node.ts` }] },
  test: {
    setupFiles: [`${root}test/support/seed.ts`],
    testTimeout: 20_000,
    // A database with all that the contract made takes a while to drop.
    hookTimeout: 120_000,
    // Long enough for a busy machine: the tests must pass before anything is mutated.
    expect: { poll: { timeout: 4_000 } },
    // A mutant at the top of a module needs a process of its own, which need not transform all anew.
    experimental: { fsModuleCache: true, fsModuleCachePath: `${root}.data/modules` },
    runner: './test/programs/mutation/load-errors-runner.ts',
    projects: [
      // A worker for all files and not for each: the modules are loaded once.
      {
        extends: true,
        test: { name: 'together', include: [...tests], exclude: [ALONE, ...left], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: tests.some((t) => t.startsWith('test/core/*')) ? [ALONE] : [],
        },
      },
    ],
  },
})
