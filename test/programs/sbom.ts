import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installNew } from '../support/package/installed.ts'
import { npm, ROOT } from '../support/package/npm.ts'

/*
 * `npm run sbom`: what the published package brings along, as CycloneDX. In this folder npm leaves out
 * of it what a development tool uses as well, so it is made where the package stands alone.
 */

/** The packages whose code is part of the built files. */
const BUNDLED = ['zod', 'lit', 'commander']

const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))

const { devDependencies: _, scripts: __, ...published } = manifestIn('.')
const folder = mkdtempSync(join(tmpdir(), 'miftah-sbom-'))
// npm names the component after its folder.
const home = join(folder, published.name)
try {
  mkdirSync(home)
  installNew(home, published)
  const words = ['--sbom-format', 'cyclonedx', '--omit', 'dev', '--omit', 'peer']
  const sbom = JSON.parse(npm(home, 'sbom', ...words))
  const found: readonly string[] = sbom.components.map(({ name }: { name: string }) => name)
  const missing = Object.keys(published.dependencies).filter((name) => !found.includes(name))
  if (missing.length > 0) throw new Error(`${missing} are not in it`)
  const components = [...sbom.components, ...BUNDLED.map(bundled)]
  console.log(JSON.stringify({ ...sbom, components }, null, 2))
} finally {
  rmSync(folder, { recursive: true })
}

function bundled(name: string): object {
  const { version, license } = manifestIn(`node_modules/${name}`)
  const licenses = [{ license: { id: license } }]
  return { type: 'library', name, version, purl: `pkg:npm/${name}@${version}`, licenses }
}
