import { readFileSync, writeFileSync } from 'node:fs'
import { ROOT } from '../../support/package/npm.ts'
import { prepare } from '../bench/prepare.ts'

/*
 * npm run compare
 * The cases that can be asked of any library, on miftah and on better-auth's API-key plugin; writes
 * the tables of docs/comparison.md between its two marks. Fails when miftah does.
 */

const FILE = `${ROOT}docs/comparison.md`
const MARKS = ['<!-- written by npm run compare -->', '<!-- end -->'] as const

prepare()
const { openMiftah } = await import('./miftah.ts')
const { openBetterAuth } = await import('./better-auth.ts')
const { columnOf, tablesOf } = await import('./report.ts')

const miftah = await columnOf(await openMiftah())
const peers = []
for (const store of ['database', 'fallback', 'secondary'] as const) {
  peers.push(await columnOf(await openBetterAuth(store)))
}
const text = readFileSync(FILE, 'utf8')
const [before, rest = ''] = text.split(MARKS[0])
const [, after] = rest.split(MARKS[1])
if (after === undefined) throw new Error(`${FILE} has lost its marks`)
const tables = tablesOf([miftah, ...peers])
writeFileSync(FILE, `${before}${MARKS[0]}\n\n${tables}\n\n${MARKS[1]}${after}`)
for (const { name, cells } of [miftah, ...peers]) {
  console.log(`${name}: ${cells.filter((cell) => cell === 'yes').length} of ${cells.length}`)
}
process.exit(miftah.cells.every((cell) => cell === 'yes') ? 0 : 1)
