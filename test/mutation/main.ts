import { Stryker } from '@stryker-mutator/core'
import { isPart, PARTS, type PartName } from './parts.ts'

/*
 * `npm run mutation -- core`, `-- adapters` or a part by its name; behind it, sources to mutate
 * instead of all of the part. Fails when the score is below what the part asks for.
 */

const [wanted = '', ...sources] = process.argv.slice(2)

if (wanted !== 'adapters' && !isPart(wanted)) {
  throw new Error(`There are the parts adapters, ${Object.keys(PARTS).join(', ')}.`)
}
const names = Object.keys(PARTS).filter(isPart)
for (const name of isPart(wanted) ? [wanted] : names.filter((name) => name !== 'core')) {
  await mutate(name)
}

async function mutate(name: PartName): Promise<void> {
  const { mutate, atLeast } = PARTS[name]
  process.env['MIFTAH_MUTATED'] = name
  const mutants = await new Stryker({
    mutate: sources.length > 0 ? sources : [...mutate],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    concurrency: 1,
    disableTypeChecks: false,
    thresholds: { high: 100, low: atLeast, break: atLeast },
    reporters: ['progress-append-only', 'clear-text', 'json'],
    clearTextReporter: { allowColor: false, allowEmojis: false, reportTests: false },
    jsonReporter: { fileName: `.data/mutants/${name}.json` },
    tempDirName: '.data/mutation',
    cleanTempDir: 'always',
    ignorePatterns: ['/dist', '/coverage', '/.data', '/docs/api', '/test/bench', '/test/runtimes'],
    allowConsoleColors: false,
  }).runMutationTest()
  const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
  const ignored = mutants.filter(({ status }) => status === 'Ignored').length
  console.log(`${name}: ${killed} of ${mutants.length - ignored} mutants killed`)
}
