import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { PROJECTS } from './test/support/projects.ts'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [{ find: '#sha256', replacement: source('src/secret/sha256-node.ts') }],
  },
  test: {
    projects: Object.entries(PROJECTS).map(
      ([name, { isolate = false, exclude = [], ...project }]) => ({
        extends: true,
        // Where files share a worker, modules are loaded once and Chromium is started once.
        test: { name, isolate, exclude: [...exclude, '**/node_modules/**'], ...project },
      }),
    ),
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    // A machine that is ten times slower must not fail a test: these only end what hangs.
    testTimeout: 120_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 3,
    coverage: {
      include: ['src/**/*.ts'],
      reporter: [['text', { skipFull: true }]],
      thresholds: { statements: 100, branches: 100, lines: 100 },
    },
  },
})
