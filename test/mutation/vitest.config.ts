import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { isPart, PARTS } from './parts.ts'

// Stryker runs this in a copy of the project, whose root is found from here.
const root = fileURLToPath(new URL('../..', import.meta.url))
const part = process.env['MIFTAH_MUTATED'] ?? ''
const tests = isPart(part) ? [...PARTS[part].tests] : []
/** It replaces a module, which must not be loaded already. */
const alone = 'test/authenticate/order.test.ts'

export default defineConfig({
  root,
  resolve: { alias: [{ find: '#sha256', replacement: `${root}src/hash/sha256-node.ts` }] },
  test: {
    testTimeout: 20_000,
    projects: [
      // A worker for all files and not for each: the modules are loaded once.
      {
        extends: true,
        test: { name: 'together', include: tests, exclude: [alone], isolate: false },
      },
      { extends: true, test: { name: 'alone', include: tests.length > 0 ? [alone] : [] } },
    ],
  },
})
