import { writeMarked } from '../../support/marked.ts'
import { prepare } from '../bench/prepare.ts'

/*
 * npm run compare
 * The cases that can be asked of any library, on miftah and on better-auth's API-key plugin; writes
 * the tables of docs/comparison.md between its two marks. Fails when miftah does.
 */

prepare()
const { openMiftah } = await import('./miftah.ts')
const { openBetterAuth } = await import('./better-auth.ts')
const { columnOf, tablesOf } = await import('./report.ts')

const miftah = await columnOf(await openMiftah())
const peers = []
for (const store of ['database', 'fallback', 'secondary'] as const) {
  peers.push(await columnOf(await openBetterAuth(store)))
}
writeMarked('docs/comparison.md', 'npm run compare', tablesOf([miftah, ...peers]))
for (const { name, cells } of [miftah, ...peers]) {
  console.log(`${name}: ${cells.filter((cell) => cell === 'yes').length} of ${cells.length}`)
}
process.exit(miftah.cells.every((cell) => cell === 'yes') ? 0 : 1)
