import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT, read } from './sources.ts'

/** The rows of docs/standards.md: requirement, where it stands, what shows it. */
const rows = [...read('docs/standards.md').matchAll(/^\| (.+?) \| (.+?) \| (.*?) ?\|$/gm)]
  .map(([, requirement = '', state = '', shown = '']) => ({ requirement, state, shown }))
  .filter(({ requirement }) => !/^(requirement|risk|---)/.test(requirement))

test('every requirement is met, left to the host, not needed or not done', () => {
  expect(rows.length).toBeGreaterThan(60)
  const odd = rows.filter(({ state }) => !/^(met|host|no|not needed)\b/.test(state))
  expect(odd).toEqual([])
})

test('what is met names a test', () => {
  const unshown = rows.filter(({ state, shown }) => state.startsWith('met') && shown === '')
  expect(unshown).toEqual([])
})

test('every test that is named is there', () => {
  const named = rows.flatMap(({ shown }) =>
    [...shown.matchAll(/`([^`]+)`/g)].map(([, file]) => file),
  )
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((file) => !existsSync(join(ROOT, file ?? '')))).toEqual([])
})
