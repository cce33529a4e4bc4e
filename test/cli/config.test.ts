import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createApiKeys, plans } from '../../src/index.ts'
import { compiledCli, ranCli } from '../support/cli-process.ts'
import { miftah } from '../support/command-line.ts'
import { freshPath, storageAt } from '../support/sqlite-files.ts'

let path: string
beforeEach(async () => {
  path = freshPath()
  await miftah(['migrate', '-d', path])
})

const NEW = ['-w', 'ws_1', '-n', 'CRM sync', '-e', 'live', '-s', 'contacts.read']

const keysOf = () =>
  createApiKeys({ storage: storageAt(path), entitlements: () => plans.enterprise })

const NO_OBJECT = /The default export of \S+ must be an object\./

describe('a config module', () => {
  const configure = (text: string, suffix = 'mjs') => {
    const file = join(dirname(path), `config-${Math.random().toString(36).slice(2)}.${suffix}`)
    writeFileSync(file, text)
    return file
  }

  test('gives the brand, the scopes and the plan', async () => {
    const index = new URL('../../src/index.ts', import.meta.url).href
    const config = configure(`
      import { defineScopes, plans } from '${index}'
      const label = { en: 'Read', ar: 'قراءة' }
      export default {
        brand: 'acme',
        catalogue: defineScopes([
          { id: 'orders', label, scopes: [{ scope: 'orders.read', label }] },
        ]),
        entitlements: () => plans.none,
      }`)
    const words = ['create', '-d', path, '-c', config, '-w', 'ws_1', '-n', 'x', '-e', 'test']
    const { code, err } = await miftah([...words, '-s', 'orders.read'])
    expect(err).toBe('miftah: The plan of the workspace does not include the public API.\n')
    expect(code).toBe(1)
    const { code: wrong } = await miftah([...words, '-s', 'contacts.read'])
    expect(wrong).toBe(2)
  })

  test.each([
    ['that is not there', null, /cannot be loaded: /],
    ['with an error in it', 'export const brand =', /cannot be loaded: /],
    ['with an unknown name', 'export const brend = "acme"', /exports "brend", which is unknown\./],
    [
      'with names beside its default',
      'export default { brand: "acme" }\nexport const entitlements = () => null',
      /exports "entitlements" beside its default: keep one of the two\./,
    ],
    [
      'with a name of another value in its default',
      'export default { brand: "acme" }\nexport const brand = "other"',
      /exports "brand" beside its default/,
    ],
    ['whose default is a function', 'export default () => ({ brand: "acme" })', NO_OBJECT],
    ['whose default is a promise', 'export default Promise.resolve({})', NO_OBJECT],
    ['whose default is a list', 'export default []', NO_OBJECT],
    ['whose default is undefined', 'export default undefined', NO_OBJECT],
    ['with a default in its default', 'export default { default: {} }', /exports "default", which/],
    ['with a bad brand', 'export const brand = "TOO LONG"', /option "brand" must be /],
    ['with a bad catalogue', 'export const catalogue = []', /option "catalogue" must come from /],
  ])('%s: one line, exit code 2, nothing changed', async (_, text, message) => {
    const config = text === null ? join(path, 'none.mjs') : configure(text)
    const { code, out, err } = await miftah(['create', '-d', path, '-c', config, ...NEW])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(message)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect((await keysOf().listKeys({ workspaceId: 'ws_1' })).keys).toEqual([])
  })

  const BRAND = { brand: 'acme' }

  test('may say the same as its default and by name', async () => {
    const config = configure('export const brand = "acme"\nexport default { brand }')
    const { out } = await miftah(['create', '-d', path, '-c', config, ...NEW])
    expect(out).toMatch(/^acme_live_/)
  })

  describe('in CommonJS, as Node imports it', () => {
    let cli: string
    beforeAll(async () => {
      cli = await compiledCli()
    })

    const json = JSON.stringify(BRAND)
    const COMPILED = 'Object.defineProperty(exports, "__esModule", { value: true })\n'

    test.each([
      ['an object', `module.exports = ${json}`],
      ['names', 'exports.brand = "acme"'],
      ['a default, compiled', `${COMPILED}exports.default = ${json}`],
      ['names, compiled', `${COMPILED}exports.brand = "acme"`],
    ])('%s', async (_, text) => {
      const config = configure(text, 'cjs')
      const { code, out } = await ranCli(cli, ['create', '-d', path, '-c', config, ...NEW])
      expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^acme_live_/) })
    })

    test.each([
      ['a function', 'module.exports = () => ({})', 'must be an object'],
      ['a function, compiled', `${COMPILED}exports.default = () => ({})`, 'must be an object'],
      [
        'both, compiled',
        `${COMPILED}exports.default = ${json}\nexports.formats = []`,
        'exports "formats" beside its default',
      ],
    ])('%s: one line, exit code 2', async (_, text, message) => {
      const config = configure(text, 'cjs')
      const { code, out, err } = await ranCli(cli, ['create', '-d', path, '-c', config, ...NEW])
      expect({ code, out, err }).toEqual({
        code: 2,
        out: '',
        err: expect.stringContaining(message),
      })
    })
  })
})
