import { randomInt } from 'node:crypto'

/** Before the tests of `npm run test:ci`: new random inputs, unless `MIFTAH_SEED` is set. The workers inherit it. */
export function setup(): void {
  process.env['MIFTAH_SEED'] ??= String(randomInt(2 ** 31))
  console.log(`The seed of the random inputs: MIFTAH_SEED=${process.env['MIFTAH_SEED']}`)
}
