import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

const { peerDependencies, peerDependenciesMeta } = createRequire(import.meta.url)(
  '../../package.json',
) as {
  peerDependencies: Readonly<Record<string, string>>
  peerDependenciesMeta: Readonly<Record<string, { optional?: boolean }>>
}

/*
 * npm refuses to install beside a peer outside its range (ERESOLVE), optional or not, and also for
 * somebody who uses the core alone; pre-releases fit no range but `*`. Which versions work is in
 * docs/http.md, and `npm run fresh-apps` tries them.
 */
test('no peer can stand in the way of an install', () => {
  const ranges = Object.entries(peerDependencies)
  expect(ranges.length).toBeGreaterThan(0)
  expect(ranges.filter(([, range]) => range !== '*')).toEqual([])
  expect(ranges.filter(([name]) => peerDependenciesMeta[name]?.optional !== true)).toEqual([])
})
