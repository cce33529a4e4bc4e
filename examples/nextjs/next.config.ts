import type { NextConfig } from 'next'

const config: NextConfig = {
  output: 'standalone',
  // Drivers with binaries or optional parts are loaded by Node and not bundled.
  serverExternalPackages: ['@photostructure/sqlite', 'pg'],
  // Next.js does not see that SQLite on Node 20 loads a binary.
  outputFileTracingIncludes: { '/*': ['node_modules/@photostructure/sqlite/prebuilds/**'] },
}

export default config
