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

const { devDependencies: _, scripts: __, ...published } = readManifest()
const folder = mkdtempSync(join(tmpdir(), 'miftah-sbom-'))
// npm names the component after its folder.
const home = join(folder, published.name)
try {
  mkdirSync(home)
  installNew(home, published)
  const sbom = JSON.parse(
    npm(home, 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--omit', 'peer'),
  )
  assertAll(sbom)
  const all = { ...sbom, components: [...sbom.components, ...bundled()] }
  process.stdout.write(`${JSON.stringify(all, null, 2)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies?: unknown
  readonly scripts?: unknown
}

function readManifest(folder = '.'): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
}

interface Component {
  readonly name: string
}

/** Throws unless each dependency is there. */
function assertAll({ components }: { readonly components: readonly Component[] }): void {
  const found = components.map(({ name }) => name)
  for (const name of Object.keys(published.dependencies)) {
    if (!found.includes(name)) throw new Error(`${name} is not in it`)
  }
}

function bundled(): readonly object[] {
  return BUNDLED.map((name) => {
    const { version, license } = readManifest(`node_modules/${name}`)
    const licenses = [{ license: { id: license } }]
    return { type: 'library', name, version, purl: `pkg:npm/${name}@${version}`, licenses }
  })
}
