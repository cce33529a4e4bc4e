import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [{ find: '#sha256', replacement: source('src/secret/sha256-node.ts') }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: './test/support/build.ts',
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] },
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    // A machine that is ten times slower must not fail a test: these only end what hangs.
    testTimeout: 120_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    coverage: { include: ['src/**', 'adapters/**'], reporter: ['text-summary', 'json-summary'] },
  },
})
