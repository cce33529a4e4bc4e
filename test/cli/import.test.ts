import { writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { miftah } from '../support/command-line.ts'
import { FORMAT, importInput, OLD_SECRET } from '../support/lifecycle/import.ts'
import { migratedPath } from '../support/sqlite-files.ts'
import { configAt, done, expectRefused, keysAt } from './world.ts'

let path: string
let config: readonly string[]
beforeEach(async () => {
  path = await migratedPath()
  const digest = "createHash('sha256').update(text).digest('hex')"
  const file = configAt(
    path,
    `import { createHash } from 'node:crypto'
    const digest = (text) => ${digest}
    export const formats = [{ id: 'old', test: (text) => text.startsWith('old_'), digest }]`,
  )
  config = ['-c', file]
})

const keysOf = () => keysAt(path, { formats: [FORMAT] })

/** The words that import a file with these lines. */
function importing(lines: readonly string[], ...options: readonly string[]) {
  const file = `${path}.jsonl`
  writeFileSync(file, lines.join('\n'))
  return ['import', file, '-d', path, ...options]
}

const LINE = JSON.stringify(importInput())

describe('import', () => {
  test('stores the keys of a file, and again nothing', async () => {
    const lines = [LINE, '', JSON.stringify(importInput({ digest: 'b' })), '']
    const first = await miftah(importing(lines, ...config, '--actor-name', 'Sami'))
    expect(first).toEqual(done('2 imported, 0 there already, 0 invalid.\n'))
    const { out } = await miftah(importing(lines, ...config, '--json'))
    expect(JSON.parse(out)).toEqual({ imported: 0, exists: 2, invalid: 0 })
    const auth = await keysOf().authenticate(`Bearer ${OLD_SECRET}`, null)
    expect(auth).toMatchObject({ ok: true })
    const { events } = await keysOf().listEvents({ workspaceId: 'ws_1' })
    const event = { type: 'api_key.imported', actor: { name: 'Sami' } }
    expect(events).toMatchObject([event, event])
  })

  test('more rows than one call takes', async () => {
    const rows = Array.from({ length: 1_001 }, (_, at) => importInput({ digest: `${at}` }))
    const lines = rows.map((row) => JSON.stringify(row))
    const { out } = await miftah(importing(lines, ...config))
    expect(out).toBe('1001 imported, 0 there already, 0 invalid.\n')
  })

  test('says what is wrong with a row by its line, and stores the others', async () => {
    const bad = JSON.stringify(importInput({ digest: 'b', name: '', scopes: ['nope'] }))
    expect(await miftah(importing([LINE, '', bad], ...config))).toEqual({
      code: 1,
      out: '1 imported, 0 there already, 1 invalid.\n',
      err: 'Line 3: name is required. scopes.0 is not a scope of the catalogue.\n',
    })
  })

  test('a dry run writes nothing', async () => {
    const { out } = await miftah(importing([LINE], ...config, '--dry-run'))
    expect(out).toBe('1 would be imported, 0 there already, 0 invalid.\n')
    expect((await keysOf().listKeys({ workspaceId: 'ws_1' })).keys).toEqual([])
  })

  test('is refused without formats, with a line that is not JSON, and without its file', async () => {
    await expectRefused(importing([LINE]), 'import needs a config module with "formats".')
    await expectRefused(importing([LINE, '{'], ...config), /\.jsonl, line 2: is not JSON\.$/m)
    const missing = ['import', '/nowhere.jsonl', '-d', path, ...config]
    await expectRefused(missing, '/nowhere.jsonl cannot be read: ENOENT.')
    expect((await keysOf().listKeys({ workspaceId: 'ws_1' })).keys).toEqual([])
  })
})
