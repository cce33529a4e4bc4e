import { programOf } from '../../house/program.ts'
import { exportsOf } from '../../house/public-surface.ts'
import { filesIn, importsOf, read } from '../../house/sources.ts'
import { circlesOf } from './circles.ts'

/*
 * `npm run weight`: how much there is to maintain, as figures to compare two commits by. It checks
 * nothing.
 */

/** The core from the ground up. A file may import its own floor and those below it. */
const FLOORS: readonly (readonly string[])[] = [
  ['lib', 'model'],
  ['limits', 'restrictions', 'scopes', 'secret', 'storage'],
  ['events', 'plans', 'redact', 'usage'],
  ['cache'],
  ['options.ts'],
  ['authenticate', 'context.ts', 'erasure', 'formats', 'keys'],
  ['api-keys.ts', 'index.ts'],
  ['http'],
]

const CODE = ['.ts', '.tsx', '.js', '.sql', '.css']

const root = 'src/index.ts'
const sources = ['src', 'adapters'].flatMap((room) => filesIn(room, ...CODE))
const core = filesIn('src', '.ts')
const imports = core.flatMap((file) => importsOf(file)).filter(({ target }) => isCore(target))
const upward = imports.filter(({ file, target }) => floorOf(target) > floorOf(file))
const circles = circlesOf(imports.map(({ file, target }) => [file, target] as const))
const largest = circles[0] ?? []

console.table({
  'lines of src': linesOf(core),
  'lines of src and adapters': linesOf(sources),
  'lines of the tab': linesOf(filesIn('adapters/ui', ...CODE)),
  'lines of tests and programs': linesOf(filesIn('test', ...CODE)),
  'files of src and adapters': sources.length,
  'files of tests and programs': filesIn('test', ...CODE).length,
  'upward imports in src': upward.length,
  'files of the largest circle in src': largest.length,
  'names of the root entry': exportsOf(programOf([root], new Map()), root).size,
})
for (const { file, target } of upward) console.log(`upward: ${file} imports ${target}`)
if (largest.length > 0) console.log(`circle: ${largest.join(', ')}`)

function isCore(file: string): boolean {
  return file.startsWith('src/')
}

function floorOf(file: string): number {
  const [, room = ''] = file.split('/')
  return FLOORS.findIndex((rooms) => rooms.includes(room))
}

function linesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + read(file).split('\n').length - 1, 0)
}
