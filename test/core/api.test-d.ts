import { describe, expectTypeOf, test } from 'vitest'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import {
  type ApiKeys,
  type AuthenticatedKey,
  createApiKeys,
  type DefaultScope,
  type Denial,
  defaultCatalogue,
  defineScopes,
  pickScopes,
  plans,
  type ScopeCatalogue,
  type ScopeOf,
} from '../../src/index.ts'
import type { ScopeRequirement } from '../../src/model/denial.ts'

const storage = memoryStorage()
const entitlements = () => plans.business
const keys = createApiKeys({ storage, entitlements })
const invoices = defineScopes([
  {
    id: 'invoices',
    label: { en: 'Invoices' },
    scopes: [
      { scope: 'invoices.read', label: { en: 'Read' } },
      { scope: 'invoices.write', label: { en: 'Write' } },
    ],
  },
])
type Invoice = 'invoices.read' | 'invoices.write'
const own = createApiKeys({ storage, entitlements, catalogue: invoices })

const input = {
  workspaceId: 'ws',
  creator: { id: 'u', name: 'n' },
  name: 'x',
  environment: 'live',
} as const

describe('scopes are literal types', () => {
  test('the 24 are inferred when no catalogue is given', () => {
    expectTypeOf(keys).toEqualTypeOf<ApiKeys<DefaultScope>>()
    expectTypeOf<DefaultScope>().toExtend<`${string}.${'read' | 'write' | 'send'}`>()
    expectTypeOf<'contacts.read'>().toExtend<DefaultScope>()
    expectTypeOf<string>().not.toExtend<DefaultScope>()
    const withTap = createApiKeys({ storage, entitlements, onEvent: (event) => void event.type })
    expectTypeOf(withTap).toEqualTypeOf<ApiKeys<DefaultScope>>()
  })

  test('those of a catalogue are inferred from it', () => {
    expectTypeOf(invoices).toEqualTypeOf<ScopeCatalogue<Invoice>>()
    expectTypeOf<ScopeOf<typeof invoices>>().toEqualTypeOf<Invoice>()
    expectTypeOf(own).toEqualTypeOf<ApiKeys<Invoice>>()
    const some = pickScopes(defaultCatalogue, ['flows.read', 'contacts.read'])
    expectTypeOf(some).toEqualTypeOf<ScopeCatalogue<'flows.read' | 'contacts.read'>>()
  })

  test('a misspelt one does not compile in createKey', () => {
    keys.createKey({ ...input, scopes: ['contacts.read'] })
    // @ts-expect-error misspelt
    keys.createKey({ ...input, scopes: ['contacts.raed'] })
    own.createKey({ ...input, scopes: ['invoices.read'] })
    // @ts-expect-error of another catalogue
    own.createKey({ ...input, scopes: ['contacts.read'] })
  })

  test('nor in authenticate, and the scope cannot be left out', () => {
    keys.authenticate('', 'contacts.read')
    keys.authenticate(null, null)
    keys.authenticate(undefined, 'flows.read')
    // @ts-expect-error misspelt
    keys.authenticate('', 'contacts.raed')
    // @ts-expect-error any text
    keys.authenticate('', 'contacts.read' as string)
    // @ts-expect-error left out
    keys.authenticate('')
    // @ts-expect-error undefined is not null
    keys.authenticate('', undefined)
    // @ts-expect-error a list of headers
    keys.authenticate(['Bearer x'], null)
    // @ts-expect-error of another catalogue
    own.authenticate('', 'contacts.read')
  })

  test('nor in pickScopes', () => {
    // @ts-expect-error misspelt
    pickScopes(defaultCatalogue, ['contacts.raed'])
  })

  test('a label in any language is a text', () => {
    defineScopes([{ id: 'g', label: { ar: 'ب' }, scopes: [] }])
    // @ts-expect-error no text
    defineScopes([{ id: 'g', label: { ar: undefined }, scopes: [] }])
  })
})

describe('results narrow', () => {
  test('a success has a key and no reason', async () => {
    const auth = await keys.authenticate('', null)
    if (auth.ok) {
      expectTypeOf(auth.key).toEqualTypeOf<AuthenticatedKey<DefaultScope>>()
      expectTypeOf(auth).not.toHaveProperty('reason')
    } else {
      expectTypeOf(auth).toEqualTypeOf<Denial<DefaultScope>>()
      expectTypeOf(auth).not.toHaveProperty('key')
    }
  })

  test('a denial names the key only where one was found', () => {
    const look = (denial: Denial<Invoice>) => {
      switch (denial.reason) {
        case 'cleartext':
        case 'missing':
        case 'invalid_request':
        case 'malformed':
        case 'unknown':
          return expectTypeOf(denial).not.toHaveProperty('keyId')
        case 'revoked':
        case 'expired':
        case 'paused':
        case 'network_not_allowed':
        case 'plan_required':
          expectTypeOf(denial).not.toHaveProperty('requirement')
          return expectTypeOf(denial.keyId).toEqualTypeOf<string>()
        case 'insufficient_scope':
          expectTypeOf(denial.keyId).toEqualTypeOf<string>()
          return expectTypeOf(denial.requirement).toEqualTypeOf<ScopeRequirement<Invoice>>()
        case 'resource_not_allowed':
          return expectTypeOf(denial.keyId).toEqualTypeOf<string>()
        case 'rate_limited':
          expectTypeOf(denial.keyId).toEqualTypeOf<string>()
          return expectTypeOf(denial.retryAfterMs).toEqualTypeOf<number>()
        default:
          return expectTypeOf(denial).toEqualTypeOf<never>()
      }
    }
    expectTypeOf(look).toBeFunction()
  })

  test('what is handed out is read-only', async () => {
    const { key } = await keys.createKey({ ...input, scopes: ['contacts.read'] })
    // @ts-expect-error read-only
    key.name = 'x'
    // @ts-expect-error read-only
    key.scopes.push('flows.read')
    // @ts-expect-error there is no hash
    key.hash
  })
})

test('every option that is required is', () => {
  // @ts-expect-error no storage
  createApiKeys({ entitlements })
  // @ts-expect-error no entitlements
  createApiKeys({ storage })
  // @ts-expect-error no such option
  createApiKeys({ storage, entitlements, flushMs: 1 })
})

describe('what a program may mistake', () => {
  test('a list of one scope does not compile', () => {
    keys.authenticate('', { anyOf: ['contacts.read', 'flows.read'] })
    // @ts-expect-error a single scope is required by its name alone
    keys.authenticate('', { anyOf: ['contacts.read'] })
    // @ts-expect-error the same
    keys.authenticate('', { allOf: ['contacts.read'] })
    // @ts-expect-error none
    keys.authenticate('', { anyOf: [] })
  })

  test('nor does a label without a language', () => {
    // @ts-expect-error by language
    defineScopes([{ id: 'a', label: 'Invoices', scopes: [] }])
  })

  test('nor a person without a name', () => {
    // @ts-expect-error never null
    keys.createKey({ ...input, creator: { id: 'u', name: null }, scopes: ['contacts.read'] })
  })
})
