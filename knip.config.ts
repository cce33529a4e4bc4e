import { ENTRIES } from './test/support/entries.ts'

export default {
  entry: [
    ...ENTRIES.values(),
    'adapters/cli/main.ts',
    // Injected by the bundler.
    'adapters/ui/build/without-dom.ts',
    'src/secret/sha256-*.ts',
    'examples/apps/*.ts',
    'examples/host/public/*.js',
    'examples/react-settings/*.tsx',
    'examples/settings-tab-french/fr.ts',
    'examples/{github-alerts,own-storage}/*.ts',
    'test/**/*.test-d.ts',
    'test/house/neighbours/*.ts',
    // Compiled into instances of functions.
    'test/house/serverless/*.ts',
    'test/programs/bench/{fleet-process,http-app}.ts',
    'test/programs/mutation/{vitest.config,load-errors-runner}.ts',
    'test/programs/runtimes/suite/{main,serve,worker}.js',
    // Compiled, and run as processes.
    'test/security/life/life.ts',
    'test/programs/reliability/{worker,*-module}.ts',
    'test/programs/reliability/strict/node.ts',
  ],
  ignoreDependencies: [
    // Used by snippets of the guides.
    '@modelcontextprotocol/sdk',
    '@stryker-mutator/vitest-runner',
    '@sparticuz/chromium',
    // Loaded where Firefox is installed.
    'playwright-core-1.60',
    // Loaded by their names.
    '@fastify/auth',
    'hono-4.12',
  ],
  ignoreBinaries: ['go', 'setpriv'],
  ignoreExportsUsedInFile: true,
  ignore: [
    'docs/.vitepress/**',
    'test/programs/bench/peers/**',
    'examples/{nextjs,worker}/**',
    'test/programs/fresh-apps/{*.js,vite/**}',
  ],
}
