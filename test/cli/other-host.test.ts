import { beforeEach, describe, expect, test } from 'vitest'
import { defineScopes } from '../../src/index.ts'
import { miftah } from '../support/command-line.ts'
import { importInput } from '../support/lifecycle/import.ts'
import { migratedPath } from '../support/sqlite-files.ts'
import { configAt, expectRefused, INDEX, jsonOf, keysAt, NEW } from './world.ts'

/*
 * An application with a brand, scopes and a format of its own, and a command line that knows them only by the
 * application's config.
 */

const label = { en: 'Invoices' }
const scopes = ['invoices.read', 'contacts.read'].map((scope) => ({ scope, label }))
const GROUPS = [{ id: 'all', label, scopes }]
const formats = [{ id: 'old', test: (text: string) => text.startsWith('old_') }]
const CREATOR = { id: 'u_1', name: 'نورة' }
const CURE = "give the application's --config, or --force to do it all the same."

let path: string
let config: string
beforeEach(async () => {
  path = await migratedPath()
  config = configOf("brand: 'acme', formats: [{ id: 'old', test: (t) => t.startsWith('old_') }]")
})

function configOf(fields: string): string {
  const catalogue = `defineScopes(${JSON.stringify(GROUPS)})`
  const text = `import { defineScopes } from '${INDEX}'\nexport default { catalogue: ${catalogue}, ${fields} }`
  return configAt(path, text)
}

const keysOf = (brand = 'acme') => keysAt(path, { brand, catalogue: defineScopes(GROUPS), formats })

async function issued(brand: string, scopes: readonly string[]) {
  const fields = { name: 'CRM sync', environment: 'live', scopes } as const
  return keysOf(brand).createKey({ workspaceId: 'ws_1', creator: CREATOR, ...fields })
}

const rotating = (id: string, ...words: string[]) =>
  ['rotate', id, '-w', 'ws_1', '-d', path, ...words] as const

const works = async (secret: string, brand = 'acme') =>
  (await keysOf(brand).authenticateSecret(secret.trim(), null)).ok

describe('rotate refuses what would break the application, and the key goes on working', () => {
  test.each([
    ['acme', ['contacts.read'], 'The new key would begin with svc_ instead of acme_'],
    ['svc', ['invoices.read', 'contacts.read'], 'The new key would lose invoices.read'],
  ])('a key of %s with %j, without --config', async (brand, given, problem) => {
    const { key, secret } = await issued(brand, given)
    await expectRefused(rotating(key.id), `miftah: ${problem}: ${CURE}\n`)
    expect(await works(secret, brand)).toBe(true)
    expect((await keysOf(brand).getKey({ workspaceId: 'ws_1', id: key.id })).version).toBe(1)
  })

  test('a key of a brand that the config has left', async () => {
    const { key } = await issued('svc', ['contacts.read'])
    await expectRefused(rotating(key.id, '-c', config), 'begin with acme_ instead of svc_')
  })

  test('an imported key, unless the config has its format', async () => {
    const row = importInput({ digest: 'old_1234567' })
    await keysOf().importKeys([row], { actor: CREATOR })
    const [{ id }] = await jsonOf('list', '-w', 'ws_1', '-d', path)
    await expectRefused(rotating(id), 'The key has the unknown format old')
    expect(await works('old_1234567')).toBe(true)
    expect(await works((await miftah(rotating(id, '-c', config))).out)).toBe(true)
  })

  test('unless with --force: the answer and the event name the scopes', async () => {
    const { key } = await issued('acme', ['invoices.read', 'contacts.read'])
    const { code, err, out } = await miftah(rotating(key.id, '--force'))
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^svc_live_/) })
    expect(err).toContain(` takes the place of ${key.id}, with the scope contacts.read. `)
    const { events } = await keysOf().listEvents({ workspaceId: 'ws_1' })
    expect(events.at(-1)?.data).toMatchObject({ replacementScopes: ['contacts.read'] })
  })

  test('and with the config of the application nothing is lost', async () => {
    const { key } = await issued('acme', ['invoices.read', 'contacts.read'])
    const { err, out } = await miftah(rotating(key.id, '-c', config))
    expect(err).toContain(', with the scopes invoices.read, contacts.read. ')
    expect(await works(out)).toBe(true)
  })
})

describe('create refuses a key that the application would not know', () => {
  const creating = (...words: string[]) => ['create', ...NEW, '-d', path, ...words]

  test('where the newest key of the workspace has another brand', async () => {
    await issued('svc', ['contacts.read'])
    await issued('acme', ['contacts.read'])
    await expectRefused(creating(), `The new key would begin with svc_ instead of acme_: ${CURE}`)
    expect((await miftah(creating('--force'))).out).toMatch(/^svc_live_/)
  })

  test('unless the config names the brand: the first keys of a new one', async () => {
    await issued('svc', ['contacts.read'])
    expect((await miftah(creating('-c', config))).out).toMatch(/^acme_live_/)
    await expectRefused(creating(), 'begin with svc_ instead of acme_')
    expect((await miftah(creating('-c', configOf("brand: 'svc'")))).out).toMatch(/^svc_live_/)
  })
})

test('find says that it does not look for secrets of another brand or format, or mistyped ones', async () => {
  const { key, secret } = await issued('acme', ['contacts.read'])
  const own = await issued('svc', ['contacts.read'])
  const mistyped = own.secret.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  for (const input of [secret, mistyped, 'old_1234567']) {
    const words = ['find', '-d', path]
    await expectRefused(words, 'Standard input is no secret of the brand svc, or is', { input })
  }
  expect((await miftah(['find', '-d', path, '-c', config], secret)).out).toContain(key.id)
  const none = await miftah(['find', '-d', path, '-c', config], 'old_1234567')
  expect(none).toEqual({ code: 1, out: '', err: 'No key has this secret.\n' })
})
