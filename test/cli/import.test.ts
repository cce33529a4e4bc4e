import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKeys, plans } from '../../src/index.ts'
import { miftah } from '../support/command-line.ts'
import { FORMAT, importInput, OLD_SECRET } from '../support/lifecycle/import.ts'
import { migratedPath, storageAt } from '../support/sqlite-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'miftah-import-'))
const config = join(folder, 'miftah.config.mjs')
writeFileSync(
  config,
  `import { createHash } from 'node:crypto'
export const formats = [{
  id: 'old',
  test: (text) => text.startsWith('old_'),
  digest: (text) => createHash('sha256').update(text).digest('hex'),
}]`,
)

let path: string
beforeEach(async () => {
  path = await migratedPath()
})

const keysOf = () =>
  createApiKeys({
    storage: storageAt(path),
    entitlements: () => plans.enterprise,
    formats: [FORMAT],
  })

/** Imports a file with these lines. */
function imported(lines: readonly string[], ...options: string[]) {
  const file = join(folder, 'keys.jsonl')
  writeFileSync(file, lines.join('\n'))
  return miftah(['import', file, '-d', path, ...options])
}

const LINE = JSON.stringify(importInput())

describe('import', () => {
  test('stores the keys of a file, and again nothing', async () => {
    const lines = [LINE, '', JSON.stringify(importInput({ digest: 'b' })), '']
    expect(await imported(lines, '-c', config, '--actor-name', 'Sami')).toEqual({
      code: 0,
      out: '2 imported, 0 there already, 0 invalid.\n',
      err: '',
    })
    expect(await imported(lines, '-c', config, '--json')).toMatchObject({
      code: 0,
      out: '{\n  "imported": 0,\n  "exists": 2,\n  "invalid": 0\n}\n',
    })
    const keys = keysOf()
    expect(await keys.authenticate(`Bearer ${OLD_SECRET}`, null)).toMatchObject({ ok: true })
    const { events } = await keys.listEvents({ workspaceId: 'ws_1' })
    expect(events).toMatchObject(
      Array(2).fill({ type: 'api_key.imported', actor: { name: 'Sami' } }),
    )
  })

  test('more rows than one call takes', async () => {
    const lines = Array.from({ length: 1_001 }, (_, at) =>
      JSON.stringify(importInput({ digest: `${at}` })),
    )
    const { out } = await imported(lines, '-c', config)
    expect(out).toBe('1001 imported, 0 there already, 0 invalid.\n')
  })

  test('says what is wrong with a row by its line, and stores the others', async () => {
    const bad = JSON.stringify(importInput({ digest: 'b', name: '', scopes: ['nope'] }))
    expect(await imported([LINE, '', bad], '-c', config)).toEqual({
      code: 1,
      out: '1 imported, 0 there already, 1 invalid.\n',
      err: 'Line 3: name is required. scopes.0 is not a scope of the catalogue.\n',
    })
  })

  test('a dry run writes nothing', async () => {
    const { code, out } = await imported([LINE], '-c', config, '--dry-run')
    expect({ code, out }).toEqual({
      code: 0,
      out: '1 would be imported, 0 there already, 0 invalid.\n',
    })
    expect((await keysOf().listKeys({ workspaceId: 'ws_1' })).keys).toEqual([])
  })

  test.each([
    ['without a config', [LINE], [], 'import needs a config module with "formats".'],
    [
      'with a line that is not JSON',
      [LINE, '{'],
      ['-c', config],
      /keys\.jsonl, line 2: is not JSON\.$/,
    ],
  ])('%s: code 2, and nothing is changed', async (_title, lines, options, message) => {
    const { code, out, err } = await imported(lines, ...options)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err.trim()).toMatch(message)
    expect((await keysOf().listKeys({ workspaceId: 'ws_1' })).keys).toEqual([])
  })

  test('a file that is not there: code 2', async () => {
    expect(await miftah(['import', '/nowhere.jsonl', '-d', path, '-c', config])).toEqual({
      code: 2,
      out: '',
      err: 'miftah: /nowhere.jsonl cannot be read: ENOENT.\n',
    })
  })
})
