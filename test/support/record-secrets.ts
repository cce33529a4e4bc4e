import { appendFileSync } from 'node:fs'
import { vi } from 'vitest'

/*
 * While MIFTAH_CANARY names a file, every secret that a test mints is written into it, a line each:
 * what the whole run has printed is then searched for them. The secret itself is minted as ever.
 */
const file = process.env['MIFTAH_CANARY']

if (file !== undefined) {
  vi.doMock('../../src/secret/mint.ts', async (original) => {
    const real = await original<typeof import('../../src/secret/mint.ts')>()
    const mintSecret: typeof real.mintSecret = (brand, environment) => {
      const secret = real.mintSecret(brand, environment)
      appendFileSync(file, `${secret}\n`)
      return secret
    }
    return { ...real, mintSecret }
  })
}
