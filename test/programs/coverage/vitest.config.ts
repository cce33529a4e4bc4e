import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { CORE_TESTS } from './core-tests.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export default defineConfig({
  root,
  resolve: { alias: [{ find: '#sha256', replacement: `${root}src/secret/sha256-node.ts` }] },
  test: {
    include: CORE_TESTS,
    testTimeout: 120_000,
    maxWorkers: 2,
    coverage: {
      enabled: true,
      include: ['src/**'],
      reporter: [['text', { skipFull: true }]],
      thresholds: { statements: 100, branches: 100, lines: 100 },
    },
  },
})
