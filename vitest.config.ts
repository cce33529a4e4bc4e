import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [{ find: '#sha256', replacement: source('src/hash/sha256-node.ts') }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: './test/support/build.ts',
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] },
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    coverage: { include: ['src/**', 'adapters/**'], reporter: ['text-summary', 'json-summary'] },
  },
})
