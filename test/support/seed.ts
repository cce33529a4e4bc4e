import fc from 'fast-check'

/*
 * The seed of all random inputs, before each file of the project `properties`. It is the same in every
 * run, so that no test fails by chance; `drawn-seed.ts` draws another one for `npm run test:ci`.
 */

const seed = Number(process.env['MIFTAH_SEED'] ?? 1)

if (!Number.isInteger(seed)) {
  throw new TypeError(`MIFTAH_SEED must be a whole number, not "${process.env['MIFTAH_SEED']}".`)
}

fc.configureGlobal({ seed })
