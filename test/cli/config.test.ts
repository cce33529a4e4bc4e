import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { compiledCli, ranCli, ranIn } from '../support/cli-process.ts'
import { miftah } from '../support/command-line.ts'
import { migratedPath } from '../support/sqlite-files.ts'
import { configAt, expectRefused, INDEX, keysAt, NEW } from './world.ts'

let path: string
beforeEach(async () => {
  path = await migratedPath()
})

/** The words that create a key with a config module of this text, or at this path. */
const creating = (config: string) => ['create', '-d', path, '-c', config, ...NEW]
const creatingWith = (text: string) => creating(configAt(path, text))

const NONE = /exports none of: brand, catalogue, entitlements, formats\./

test('a config module gives the brand, the scopes and the plan', async () => {
  const config = configAt(
    path,
    `import { defineScopes, plans } from '${INDEX}'
    const label = { en: 'Read', ar: 'قراءة' }
    const scopes = [{ scope: 'orders.read', label }]
    const catalogue = defineScopes([{ id: 'orders', label, scopes }])
    export default { brand: 'acme', catalogue, entitlements: () => plans.none }`,
  )
  const words = ['create', '-d', path, '-c', config, ...NEW.slice(0, -1)]
  const message = 'miftah: The plan of the workspace does not include the public API.\n'
  await expectRefused([...words, 'orders.read'], message, { code: 1 })
  await expectRefused([...words, 'contacts.read'], 'There is no scope "contacts.read"')
})

test.each([
  ['with an error in it', 'export const brand =', /cannot be loaded: /],
  ['without any of the names', 'export const brend = "acme"', NONE],
  ['whose default is empty', 'export default {}', NONE],
  ['whose default is a function', 'export default () => ({ brand: "acme" })', NONE],
  ['whose default is a list', 'export default []', NONE],
  ['whose default is undefined', 'export default undefined', NONE],
  ['with a default in its default', 'export default { default: { brand: "acme" } }', NONE],
  [
    'with a name of another value in its default',
    'export default { brand: "acme" }\nexport const brand = "other"',
    /exports "brand" by name and, another, in its default\./,
  ],
  ['with a brand that is null', 'export const brand = null', /option "brand" must be /],
  ['with a bad catalogue', 'export const catalogue = []', /option "catalogue" must come from /],
])('%s: one line, exit code 2, nothing changed', async (_, text, message) => {
  await expectRefused(creatingWith(text), message)
  await expectRefused(creating(join(path, 'none.mjs')), /none\.mjs cannot be loaded: /)
  expect((await keysAt(path).listKeys({ workspaceId: 'ws_1' })).keys).toEqual([])
})

test.each([
  ['by name, beside its own', "export const brand = 'acme'\nexport const port = 3000"],
  ['by name, beside its default', "export const brand = 'acme'\nexport default () => 'the app'"],
  ['in its default, with its own', "export default { brand: 'acme', storage: {} }"],
  ['by name and in its default', 'export const brand = "acme"\nexport default { brand }'],
  ['partly so and partly so', "export const brand = 'acme'\nexport default { formats: [] }"],
])('may be a module of the application, which exports the brand %s', async (_, text) => {
  expect((await miftah(creatingWith(text))).out).toMatch(/^acme_live_/)
})

test('that holds the process open does not keep the command from its end', async () => {
  const config = configAt(path, 'setInterval(() => {}, 1_000)\nexport const brand = "acme"')
  const { code, out } = await ranCli(await compiledCli(), creating(config))
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^acme_live_\w+\n$/) })
})

/** What came of each module, all in one process of a program. */
const outcomes = (program: string, modules: readonly string[], suffix: string) =>
  ranIn(
    program,
    modules.map((text) => creating(configAt(path, text, suffix))),
  )

const ACCEPTED = { code: 0, out: expect.stringMatching(/^acme_live_/) }

describe('in TypeScript', () => {
  const TYPED = 'const brand: string = "acme"\nexport { brand }\nexport type Own = string'

  test('needs Node 22.18 or tsx, and the line says so', async () => {
    const [ran] = await outcomes(process.execPath, [TYPED], 'ts')
    if (Reflect.get(process.features, 'typescript')) return expect(ran).toMatchObject(ACCEPTED)
    expect(ran).toMatchObject({ code: 2, out: '' })
    expect(ran?.err).toMatch(/^miftah: .*use Node 22\.18 or later, or `npm install -D tsx`.*\n$/)
  })

  test.each(['ts', 'mts'])('is read with tsx: .%s', async (suffix) => {
    const tsx = fileURLToPath(new URL('../../node_modules/.bin/tsx', import.meta.url))
    expect(await outcomes(tsx, [TYPED], suffix)).toMatchObject([ACCEPTED])
  })
})

test('in CommonJS, as Node imports it', async () => {
  const compiled = 'Object.defineProperty(exports, "__esModule", { value: true })\n'
  const refused = (text: string) => ({ code: 2, out: '', err: expect.stringContaining(text) })
  const modules = new Map<string, object>([
    ['module.exports = { brand: "acme", port: 3000 }', ACCEPTED],
    ['exports.brand = "acme"', ACCEPTED],
    // Of these names Node finds a part.
    ['exports.port = 3000\nObject.assign(exports, { brand: "acme" })', ACCEPTED],
    [`${compiled}exports.default = { brand: "acme" }`, ACCEPTED],
    [`${compiled}exports.brand = "acme"`, ACCEPTED],
    ['module.exports = () => ({})', refused('exports none of')],
    [`${compiled}exports.default = () => ({})`, refused('exports none of')],
    [
      `${compiled}exports.default = { brand: 'acme' }\nexports.brand = 'other'`,
      refused('exports "brand" by name and, another,'),
    ],
  ])
  const ran = await outcomes(process.execPath, [...modules.keys()], 'cjs')
  expect(ran).toMatchObject([...modules.values()])
})
