import { readFileSync } from 'node:fs'
import { ENTRIES, isForPages } from '../support/entries.ts'

/*
 * npm run jsr > jsr.json
 * The manifest for JSR, which takes the sources: every entry but those for pages. The scope has to be
 * claimed on jsr.io first; then `npx jsr publish --allow-dirty` in CI, with the permission id-token.
 */

const { version, license } = JSON.parse(readFileSync('package.json', 'utf8'))
const entries = [...ENTRIES].filter(([name]) => !isForPages(name))
const manifest = {
  name: '@miftah/miftah',
  version,
  license,
  exports: Object.fromEntries(
    entries.map(([name, source]) => [name.replace('miftah', '.'), `./${source}`]),
  ),
  publish: {
    include: ['src', 'adapters', 'LICENSE', 'README.md', 'CHANGELOG.md'],
    exclude: ['adapters/ui', 'adapters/react', 'adapters/cli'],
  },
}
console.log(JSON.stringify(manifest, null, 2))
