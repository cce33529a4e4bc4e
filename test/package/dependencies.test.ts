import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importsOf } from '../house/sources.ts'
import { ROOT } from '../support/package/npm.ts'

const { dependencies, peerDependencies } = createRequire(import.meta.url)('../../package.json')

/** What the package says that it needs, and what every runtime has. */
const KNOWN = [...Object.keys(dependencies), ...Object.keys(peerDependencies)]
const dist = join(ROOT, 'dist')

function packagesOf(ending: string): readonly string[] {
  const files = readdirSync(dist).filter((name) => name.endsWith(ending))
  expect(files.length).toBeGreaterThan(10)
  const imports = files.flatMap((name) => importsOf(name, readFileSync(join(dist, name), 'utf8')))
  const foreign = imports.filter(({ target }) => !/^(node:|#sha256$)|\.js$/.test(target))
  return [...new Set(foreign.map(({ target }) => target))].sort()
}

const isKnown = (target: string) => KNOWN.some((name) => `${target}/`.startsWith(`${name}/`))

test('the built modules import what package.json names, and no more', () => {
  const packages = packagesOf('.js')
  expect(packages.filter((target) => !isKnown(target))).toEqual([])
  expect(packages).toContain('nanoid')
})

// `npm run build` makes them; the build for tests alone makes none.
test.runIf(existsSync(join(dist, 'index.d.ts')))(
  'nor do the types, which tell nothing of zod',
  () => {
    const packages = packagesOf('.d.ts')
    expect(packages.filter((target) => !isKnown(target))).toEqual([])
    expect(packages).toContain('express')
  },
)
