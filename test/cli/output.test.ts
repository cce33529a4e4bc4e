import { expect, test } from 'vitest'
import { miftah } from '../support/command-line.ts'
import { freshPath, storageAt } from '../support/sqlite-files.ts'
import { keyInput } from '../support/world.ts'
import { expectRefused, keysAt } from './world.ts'

/** What a terminal would obey, or what hides and reorders text. */
const UNSAFE =
  /(?!\n)[\p{Cc}\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/u

/** U+009B clears the screen, U+009D begins a command to the terminal, U+202E reverses what follows. */
const HOSTILE =
  'A\u009B2J\u009D0;x\u007F\u202E\u2066\u200E\u200F\u061C\u200B\u{E0041}\u001B[2J\n\u2028Z'
const ESCAPED =
  'A\\u009B2J\\u009D0;x\\u007F\\u202E\\u2066\\u200E\\u200F\\u061C\\u200B\\uDB40\\uDC41\\u001B[2J\\u000A\\u2028Z'

/** A file with a key whose name was stored by other means than `createKey`, and the key's secret. */
async function fileWith(name: string) {
  const path = freshPath()
  const storage = storageAt(path)
  const write: typeof storage.write = (steps) => {
    const named = steps.map((step) => ({
      ...step,
      keys: step.keys.map((one) => ({ ...one, record: { ...one.record, name } })),
    }))
    return storage.write(named)
  }
  const { secret } = await keysAt(path, { storage: { ...storage, write } }).createKey(keyInput())
  return { path, secret }
}

test.each([
  [['list', '-w', 'ws_1']],
  [['list', '-w', 'ws_1', '--json']],
  [['find']],
  [['find', '--json']],
])('%j prints nothing that a terminal obeys', async (words) => {
  const { path, secret } = await fileWith(HOSTILE)
  const { code, out, err } = await miftah([...words, '-d', path], secret)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).not.toMatch(UNSAFE)
  if (!words.includes('--json')) return expect(out).toContain(`${ESCAPED}\n`)
  const [key] = [JSON.parse(out)].flat()
  expect(key.name).toBe(HOSTILE)
})

test('names in scripts that join their letters are printed as they are, in aligned columns', async () => {
  const joined = 'نامه\u200Cها 👩\u200D💻'
  const { path } = await fileWith(joined)
  const [headings = '', line = ''] = (await miftah(['list', '-w', 'ws_1', '-d', path])).out.split(
    '\n',
  )
  expect(line.indexOf(joined)).toBe(headings.indexOf('name'))
})

test('an error quotes nothing that a terminal obeys', async () => {
  await expectRefused(['crate\u009B2J\u202E\n'], 'There is no such command.')
  const { err } = await miftah(['import', 'rows\u009B\nmiftah: done', '-d', freshPath()])
  expect(err).not.toMatch(UNSAFE)
  expect(err.trimEnd().split('\n')).toHaveLength(1)
})
