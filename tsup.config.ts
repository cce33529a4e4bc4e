import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'sha256-node': 'src/hash/sha256-node.ts',
    'sha256-portable': 'src/hash/sha256-portable.ts',
    memory: 'adapters/storage/memory.ts',
    sqlite: 'adapters/storage/sqlite.ts',
    postgres: 'adapters/storage/postgres.ts',
    fetch: 'adapters/http/fetch.ts',
    express: 'adapters/http/express.ts',
    fastify: 'adapters/http/fastify.ts',
    management: 'adapters/http/management.ts',
    testing: 'adapters/storage/testing/storage-contract.ts',
  },
  format: 'esm',
  target: 'node20.19',
  platform: 'neutral',
  // A neutral platform has no modules of its own: those of Node are named here.
  external: ['#sha256', /^node:/],
  splitting: true,
  clean: true,
  // tsup strips the node: scheme by default, which breaks Deno and workerd.
  removeNodeProtocol: false,
  // tsup 8.5 sets baseUrl, which TypeScript 6 deprecates.
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
})
