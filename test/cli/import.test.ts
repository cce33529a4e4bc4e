import { writeFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { miftah } from '../support/command-line.ts'
import { FORMAT, importInput, OLD_SECRET } from '../support/lifecycle/import.ts'
import { migratedPath } from '../support/sqlite-files.ts'
import { configAt, done, expectRefused, keysAt } from './world.ts'

let path: string
let config: readonly string[]
beforeEach(async () => {
  path = await migratedPath()
  const text = `import { createHash } from 'node:crypto'
    const digest = (text) => createHash('sha256').update(text).digest('hex')
    export const formats = [{ id: 'old', test: (text) => text.startsWith('old_'), digest }]`
  config = ['-c', configAt(path, text)]
})

const stored = async () => (await keysAt(path).listKeys({ workspaceId: 'ws_1' })).keys
const rows = (count: number) =>
  Array.from({ length: count }, (_, at) => JSON.stringify(importInput({ digest: `${at}` })))

/** The words that import a file with these lines. */
function importing(lines: readonly string[], ...options: readonly string[]) {
  const file = `${path}.jsonl`
  writeFileSync(file, lines.join('\n'))
  return ['import', file, '-d', path, ...options]
}

test('the keys of a file are stored, and again nothing, more than one call takes', async () => {
  const lines = [JSON.stringify(importInput()), '', ...rows(1_000), '']
  const first = await miftah(importing(lines, ...config, '--actor-name', 'Sami'))
  expect(first).toEqual(done('1001 imported, 0 there already, 0 invalid.\n'))
  const { out } = await miftah(importing(lines, ...config, '--json'))
  expect(JSON.parse(out)).toEqual({ imported: 0, exists: 1_001, invalid: 0 })
  const keys = keysAt(path, { formats: [FORMAT] })
  expect(await keys.authenticate(`Bearer ${OLD_SECRET}`, null)).toMatchObject({ ok: true })
  const { events } = await keys.listEvents({ workspaceId: 'ws_1', limit: 1 })
  expect(events).toMatchObject([{ type: 'api_key.imported', actor: { name: 'Sami' } }])
})

test('an invalid row is reported by its line, and the others are stored', async () => {
  const bad = JSON.stringify(importInput({ digest: 'b', name: '', scopes: ['nope'] }))
  expect(await miftah(importing([...rows(1), '', bad], ...config))).toEqual({
    code: 1,
    out: '1 imported, 0 there already, 1 invalid.\n',
    err: 'Line 3: name is required. scopes.0 is not a scope of the catalogue.\n',
  })
})

test('nothing is stored by a dry run, without formats, without its file or by a broken one', async () => {
  const { out } = await miftah(importing(rows(1), ...config, '--dry-run'))
  expect(out).toBe('1 would be imported, 0 there already, 0 invalid.\n')
  await expectRefused(importing(rows(1)), 'import needs a config module with "formats".')
  await expectRefused(importing([...rows(1), '{'], ...config), /\.jsonl, line 2: is not JSON\.$/m)
  const missing = ['import', '/nowhere.jsonl', '-d', path, ...config]
  await expectRefused(missing, '/nowhere.jsonl cannot be read: ENOENT.')
  expect(await stored()).toEqual([])
})
