import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npm, ROOT } from '../support/package/npm.ts'

/*
 * `npm run sbom`: what the published package brings along, as CycloneDX. In this folder npm leaves out
 * of it what a development tool uses as well, so it is made where the package stands alone.
 */

const { devDependencies: _, scripts: __, ...published } = readManifest()
const folder = mkdtempSync(join(tmpdir(), 'miftah-sbom-'))
// npm names the component after its folder.
const home = join(folder, published.name)
try {
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), JSON.stringify(published))
  npm(
    home,
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--silent',
    '--prefer-offline',
  )
  const sbom = npm(home, 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--omit', 'peer')
  demandAll(JSON.parse(sbom))
  process.stdout.write(sbom)
} finally {
  rmSync(folder, { recursive: true })
}

interface Manifest {
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies?: unknown
  readonly scripts?: unknown
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
}

interface Component {
  readonly name: string
  readonly version: string
}

/** Throws unless each dependency is there, in its version. */
function demandAll({ components }: { readonly components: readonly Component[] }): void {
  const found = components.map(({ name, version }) => `${name} ${version}`)
  for (const [name, version] of Object.entries(published.dependencies)) {
    if (!found.includes(`${name} ${version}`)) throw new Error(`${name} ${version} is not in it`)
  }
}
