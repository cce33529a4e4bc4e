import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKeys, plans } from '../../src/index.ts'
import { compiledCli, ranCli, ranIn } from '../support/cli-process.ts'
import { miftah } from '../support/command-line.ts'
import { migratedPath, storageAt } from '../support/sqlite-files.ts'

let path: string
beforeEach(async () => {
  path = await migratedPath()
})

const NEW = ['-w', 'ws_1', '-n', 'CRM sync', '-e', 'live', '-s', 'contacts.read']

const TSX = fileURLToPath(new URL('../../node_modules/.bin/tsx', import.meta.url))

const keysOf = () =>
  createApiKeys({ storage: storageAt(path), entitlements: () => plans.enterprise })

const NONE = /exports none of: brand, catalogue, entitlements, formats\./

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
    ['without any of the names', 'export const brend = "acme"', NONE],
    ['that is empty', '', NONE],
    ['whose default is empty', 'export default {}', NONE],
    [
      'with a name of another value in its default',
      'export default { brand: "acme" }\nexport const brand = "other"',
      /exports "brand" by name and, another, in its default\./,
    ],
    ['whose default is a function', 'export default () => ({ brand: "acme" })', NONE],
    ['whose default is a promise', 'export default Promise.resolve({})', NONE],
    ['whose default is a list', 'export default []', NONE],
    ['whose default is undefined', 'export default undefined', NONE],
    ['with a default in its default', 'export default { default: { brand: "acme" } }', NONE],
    ['with a brand that is null', 'export const brand = null', /option "brand" must be /],
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

  const INDEX = new URL('../../src/index.ts', import.meta.url).href

  test.each([
    ['by name, beside its own', "export const brand = 'acme'\nexport const port = 3000"],
    ['by name, beside its default', "export const brand = 'acme'\nexport default () => 'the app'"],
    [
      'in its default, beside its own',
      "export default { brand: 'acme' }\nexport const port = 3000",
    ],
    ['in its default, with its own', "export default { brand: 'acme', storage: {} }"],
    [
      'partly by name and partly in its default',
      "export const brand = 'acme'\nexport default { formats: [] }",
    ],
    [
      'beside its keys',
      `import { createApiKeys, defaultCatalogue as catalogue, plans } from '${INDEX}'
      export const brand = 'acme'
      export default createApiKeys({ brand, catalogue, storage: storage(), entitlements })
      export function entitlements() { return plans.enterprise }
      function storage() { return new Proxy({}, { get: () => () => null }) }
      export { catalogue }`,
    ],
  ])('may be a module of the application, which exports the brand %s', async (_, text) => {
    const config = configure(text)
    const { code, out } = await miftah(['create', '-d', path, '-c', config, ...NEW])
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^acme_live_/) })
  })

  test('has its lists as they are', async () => {
    const config = configure("export const formats = [{ id: 'old', test: () => true }]")
    const { code, err } = await miftah(['find', '-d', path, '-c', config], 'old_1234567')
    expect({ code, err }).toEqual({ code: 1, err: 'No key has this secret.\n' })
  })

  test('that holds the process open does not keep the command from its end', async () => {
    const config = configure('setInterval(() => {}, 1_000)\nexport const brand = "acme"')
    const words = ['create', '-d', path, '-c', config, ...NEW]
    const { code, out } = await ranCli(await compiledCli(), words)
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^acme_live_\w+\n$/) })
  })

  /** Creates a key with each config module, all in one process of a program. */
  const createdIn = (program: string, configs: readonly string[]) =>
    ranIn(
      program,
      configs.map((config) => ['create', '-d', path, '-c', config, ...NEW]),
    )
  const ACCEPTED = {
    code: 0,
    out: expect.stringMatching(/^acme_live_/),
    err: expect.any(String),
  }

  describe('in TypeScript', () => {
    const TYPED = 'const brand: string = "acme"\nexport { brand }\nexport type Own = string'

    test('needs Node 22.18 or tsx, and the line says so', async () => {
      const [ran] = await createdIn(process.execPath, [configure(TYPED, 'ts')])
      if (Reflect.get(process.features, 'typescript')) return expect(ran).toEqual(ACCEPTED)
      expect(ran).toMatchObject({ code: 2, out: '' })
      const err = ran?.err ?? ''
      expect(err).toContain('use Node 22.18 or later, or `npm install -D tsx` and then')
      expect(err).toContain('`npx tsx node_modules/miftah/dist/cli.js` in place of `npx miftah`.')
      expect(err.trimEnd().split('\n')).toHaveLength(1)
    })

    test('is read with tsx: .ts and .mts', async () => {
      const configs = ['ts', 'mts'].map((suffix) => configure(TYPED, suffix))
      expect(await createdIn(TSX, configs)).toEqual([ACCEPTED, ACCEPTED])
    })
  })

  describe('in CommonJS, as Node imports it', () => {
    const json = JSON.stringify(BRAND)
    const COMPILED = 'Object.defineProperty(exports, "__esModule", { value: true })\n'

    /** What came of each module, by its name. */
    const outcomes = async (modules: Readonly<Record<string, string>>) => {
      const configs = Object.values(modules).map((text) => configure(text, 'cjs'))
      const ran = await createdIn(process.execPath, configs)
      return Object.keys(modules).map((name, at) => [name, ran[at]])
    }

    test('gives the brand', async () => {
      const modules = {
        'an object': `module.exports = ${json}`,
        names: 'exports.brand = "acme"',
        'names beside its own': 'module.exports = { brand: "acme", port: 3000 }',
        'names of which Node finds a part':
          'exports.port = 3000\nObject.assign(exports, { brand: "acme" })',
        'a default, compiled': `${COMPILED}exports.default = ${json}`,
        'names, compiled': `${COMPILED}exports.brand = "acme"`,
      }
      const expected = Object.keys(modules).map((name) => [name, ACCEPTED])
      expect(await outcomes(modules)).toEqual(expected)
    })

    test('without a name, or with two values of one: one line, exit code 2', async () => {
      const refused = (message: string) => ({
        code: 2,
        out: '',
        err: expect.stringMatching(new RegExp(`^miftah: [^\n]*${message}[^\n]*\n$`)),
      })
      const found = await outcomes({
        'a function': 'module.exports = () => ({})',
        'a function, compiled': `${COMPILED}exports.default = () => ({})`,
        'two values, compiled': `${COMPILED}exports.default = ${json}\nexports.brand = 'other'`,
      })
      expect(found).toEqual([
        ['a function', refused('exports none of')],
        ['a function, compiled', refused('exports none of')],
        ['two values, compiled', refused('exports "brand" by name and, another,')],
      ])
    })
  })
})
