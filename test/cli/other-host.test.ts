import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKeys, defineScopes, plans } from '../../src/index.ts'
import { miftah } from '../support/command-line.ts'
import { freshPath, storageAt } from '../support/sqlite-files.ts'

const label = { en: 'Invoices' }
const SCOPES = ['invoices.read', 'contacts.read'] as const
const catalogue = defineScopes([
  { id: 'all', label, scopes: SCOPES.map((scope) => ({ scope, label })) },
])
const formats = [{ id: 'old', test: (text: string) => text.startsWith('old_') }]
const CREATOR = { id: 'u_1', name: 'نورة' }

let path: string
let config: string
beforeEach(() => {
  path = freshPath()
  config = configOf(
    `brand: 'acme', formats: [${"{ id: 'old', test: (t) => t.startsWith('old_') }"}]`,
  )
})

/** A config module with the host's catalogue and these further fields. */
function configOf(fields: string): string {
  const file = join(dirname(path), `config-${Math.random().toString(36).slice(2)}.mjs`)
  const index = new URL('../../src/index.ts', import.meta.url).href
  const scopes = SCOPES.map((scope) => `{ scope: '${scope}', label: { en: 'x' } }`)
  writeFileSync(
    file,
    `import { defineScopes } from '${index}'
    export default {
      catalogue: defineScopes([{ id: 'all', label: { en: 'x' }, scopes: [${scopes}] }]),
      ${fields}
    }`,
  )
  return file
}

/** The keys of the application, whose brand or catalogue the command line does not have by itself. */
const keysOf = (brand = 'acme') =>
  createApiKeys({
    ...{ storage: storageAt(path), brand, catalogue, formats },
    entitlements: () => plans.enterprise,
  })

async function issued(brand: string, scopes: readonly (typeof SCOPES)[number][]) {
  const fields = { name: 'CRM sync', environment: 'live', scopes } as const
  return keysOf(brand).createKey({ workspaceId: 'ws_1', creator: CREATOR, ...fields })
}

const rotated = (id: string, ...words: string[]) =>
  miftah(['rotate', id, '-w', 'ws_1', '-d', path, ...words])

const works = async (brand: string, secret: string) =>
  (await keysOf(brand).authenticateSecret(secret.trim(), null)).ok

describe('rotate refuses what would break the application, and the key goes on working', () => {
  test.each([
    ['acme', ['contacts.read'], 'The new key would begin with svc_ instead of acme_'],
    ['svc', [...SCOPES], 'The new key would lose invoices.read'],
  ] as const)('a key of %s with %j, without --config', async (brand, scopes, problem) => {
    const { key, secret } = await issued(brand, scopes)
    const message = `${problem}: give the application's --config, or --force to do it all the same.`
    expect(await rotated(key.id)).toEqual({ code: 2, out: '', err: `miftah: ${message}\n` })
    expect(await works(brand, secret)).toBe(true)
    expect((await keysOf(brand).getKey({ workspaceId: 'ws_1', id: key.id })).version).toBe(1)
  })

  test('a key of a brand that the config has left', async () => {
    const { key } = await issued('svc', ['contacts.read'])
    const { code, err } = await rotated(key.id, '-c', config)
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining('would begin with acme_ instead of svc_'),
    })
  })

  test('an imported key, unless the config has its format', async () => {
    const workspaceId = 'ws_1'
    const fields = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] } as const
    const row = { workspaceId, creator: CREATOR, ...fields, format: 'old', digest: 'old_1234567' }
    await keysOf().importKeys([row], { actor: CREATOR })
    const { keys } = await keysOf().listKeys({ workspaceId })
    const id = keys[0]?.id ?? ''
    expect(await rotated(id)).toMatchObject({
      code: 2,
      err: expect.stringContaining('The key has the unknown format old'),
    })
    expect(await works('acme', 'old_1234567')).toBe(true)
    const { code, out } = await rotated(id, '-c', config)
    expect(code).toBe(0)
    expect(await works('acme', out)).toBe(true)
  })

  test('with --force it is done, and the answer and the event name the scopes', async () => {
    const { key } = await issued('acme', SCOPES)
    const { code, err, out } = await rotated(key.id, '--force')
    expect(code).toBe(0)
    expect(out).toMatch(/^svc_live_/)
    expect(err).toMatch(
      new RegExp(`^key_\\S+ takes the place of ${key.id}, with the scope contacts\\.read\\. `),
    )
    const { events } = await keysOf().listEvents({ workspaceId: 'ws_1' })
    expect(events.at(-1)?.data).toMatchObject({ replacementScopes: ['contacts.read'] })
  })

  test('with the config of the application nothing is lost', async () => {
    const { key } = await issued('acme', SCOPES)
    const { code, err, out } = await rotated(key.id, '-c', config)
    expect(code).toBe(0)
    expect(err).toContain(', with the scopes invoices.read, contacts.read. ')
    const auth = await keysOf().authenticateSecret(out.trim(), 'invoices.read')
    expect(auth.ok).toBe(true)
  })

  test('a key that is not there is not found', async () => {
    await issued('acme', SCOPES)
    expect(await rotated('key_none')).toMatchObject({
      code: 1,
      err: 'miftah: There is no such key in this workspace.\n',
    })
  })
})

describe('create refuses a key that the application would not know', () => {
  const NEW = ['-w', 'ws_1', '-n', 'x', '-e', 'live', '-s', 'contacts.read']
  const created = (...words: string[]) => miftah(['create', ...NEW, '-d', path, ...words])

  test('where the newest key of the workspace has another brand', async () => {
    await issued('svc', ['contacts.read'])
    await issued('acme', ['contacts.read'])
    const { code, out, err } = await created()
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('The new key would begin with svc_ instead of acme_: give ')
    expect((await keysOf().listKeys({ workspaceId: 'ws_1' })).keys).toHaveLength(2)
    expect((await created('--force')).out).toMatch(/^svc_live_/)
  })

  test('unless the config names the brand: the first keys of a new one', async () => {
    await issued('svc', ['contacts.read'])
    expect((await created('-c', config)).out).toMatch(/^acme_live_/)
    expect((await created()).code).toBe(2)
    expect((await created('-c', configOf("brand: 'svc'"))).out).toMatch(/^svc_live_/)
  })
})

describe('find', () => {
  const found = (text: string, ...words: string[]) => miftah(['find', '-d', path, ...words], text)

  test('says that it does not look for secrets of another brand', async () => {
    const { key, secret } = await issued('acme', SCOPES)
    expect(await found(secret)).toEqual({
      code: 2,
      out: '',
      err:
        'miftah: Standard input is no secret of the brand svc, or is mistyped: its end is a ' +
        "checksum; for another brand or format, give the application's --config.\n",
    })
    expect((await found(secret, '-c', config)).out).toContain(key.id)
  })

  test('says the same of a mistyped one, and of a format that it does not know', async () => {
    const { secret } = await issued('svc', SCOPES)
    const mistyped = secret.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    expect((await found(mistyped)).code).toBe(2)
    expect((await found('old_1234567')).code).toBe(2)
    expect(await found('old_1234567', '-c', config)).toEqual({
      ...{ code: 1, out: '' },
      err: 'No key has this secret.\n',
    })
  })
})
