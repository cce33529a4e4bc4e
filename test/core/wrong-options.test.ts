import { expect, test } from 'vitest'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import { relayEvents, writeNotices } from '../../src/events/index.ts'
import { createGuard, createScopeGuard, guardAnswers } from '../../src/http/index.ts'
import { createApiKeys, plans } from '../../src/index.ts'
import { createRedactor, looksLikeSecret, secretPattern } from '../../src/redact/index.ts'
import { STORAGE_METHODS } from '../../src/storage/index.ts'
import { FORMAT } from '../support/lifecycle/import.ts'
import { loggedStorage, MemoryLog } from '../support/memory-log.ts'
import { openWorld } from '../support/world.ts'

/* Whatever takes options refuses those that it cannot use when it is called, with a TypeError that names them. */

const storage = memoryStorage()
const GOOD = {
  createApiKeys: { storage, entitlements: () => plans.business },
  relayEvents: { storage, deliver: () => {} },
  writeNotices: { storage },
}
const { keys } = openWorld()

/** What takes options. The first three need some, which stand beside those of a row. */
const CALLS = {
  createApiKeys: (options: never) => createApiKeys(options),
  relayEvents: (options: never) => relayEvents(options),
  writeNotices: (options: never) => writeNotices(options),
  requireKey: (options: never) => createGuard(keys, null, options),
  requireScope: (options: never) => createScopeGuard(keys, 'contacts.read', options),
  'requireScope without a requirement': (options: never) =>
    createScopeGuard(keys, null as never, options),
  guardAnswers: (options: never) => guardAnswers(options),
  createRedactor: (brand: never) => createRedactor(brand),
  secretPattern: (brand: never) => secretPattern(brand),
  looksLikeSecret: (brand: never) => looksLikeSecret('text', brand),
}

type Caller = keyof typeof CALLS
type Row = readonly [caller: Caller, options: unknown, message: string]

/** Several values of an option of which the same is said. */
const each = (caller: Caller, name: string, values: readonly unknown[], message: string) =>
  values.map((value): Row => [caller, { [name]: value }, message])

const without = (verb: string) =>
  new Proxy(storage, { get: (of, name) => (name === verb ? undefined : Reflect.get(of, name)) })
const keysWith = (name: string, values: readonly unknown[], message: string) =>
  each('createApiKeys', name, values, `createApiKeys: option ${message}`)
const logging = (changes: unknown) => ({ ...storage, changes })
const withoutRecent = logging(Object.assign(new MemoryLog(), { recentHashes: undefined }))

const BRAND = 'must be a lower-case letter and 1 to 3 lower-case letters or digits.'
const BRANDS = ['', 'a', 'abcde', 'SVC', '1ab', 'a_b', 'sv-', 'مفت', ' sv', 'svc\n', null, 7]
const DELAYS = [-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '1000', null]
const { storage: logged } = loggedStorage()
const caching = (cache: object, message: string): readonly Row[] => [
  ['createApiKeys', { storage: logged, cache }, `createApiKeys: option ${message}`],
]
const NO_LOG = '"cache" needs a storage with a log of changes'
const PLACES = 'must list one or more of bearer, x-api-key, basic-username, each once.'
const MANY = Array.from({ length: 9 }, (_, at) => ({ ...FORMAT, id: `f${at}` }))
const FORMAT_ID =
  'each id in "formats" must be 1 to 12 lower-case letters, digits and -, the first a letter.'
const formats = (format: unknown, message: string) =>
  each('createApiKeys', 'formats', [[format]], `createApiKeys: ${message}`)
const NEEDS = 'requireScope needs a scope, { anyOf } or { allOf }, or the option "resource".'

const ROWS: readonly Row[] = [
  ...[null, 'x', undefined].map(
    (options): Row => ['createApiKeys', options, 'createApiKeys: options must be an object.'],
  ),
  ...keysWith('storage', [undefined], '"storage" is required.'),
  ...keysWith('storage', [null, 'memory'], '"storage" '),
  ...STORAGE_METHODS.flatMap((verb) =>
    keysWith('storage', [without(verb)], `"storage" must implement ${verb}()`),
  ),
  ...keysWith('entitlements', [plans.none, undefined], '"entitlements" '),
  ...keysWith(
    'catalogue',
    [['contacts.read'], null, { has: () => true }, { has: true, scopes: [] }],
    '"catalogue" must come from defineScopes or pickScopes.',
  ),
  ...keysWith('brand', BRANDS, `"brand" ${BRAND}`),
  ...keysWith('usageFlushMs', [...DELAYS, 0], '"usageFlushMs" must be 1 to 2147483647 milli'),
  ...keysWith('entitlementsTtlMs', DELAYS, '"entitlementsTtlMs" must be 0 to 2147483647 milli'),
  ...keysWith('storageTimeoutMs', [...DELAYS, 0], '"storageTimeoutMs" must be 1 to 2147483647 '),
  ...keysWith('usageHistory', [null, true, 30], '"usageHistory" must be an object.'),
  ...keysWith(
    'usageHistory',
    [0, 401, 1.5, '30', null].map((keepDays) => ({ keepDays })),
    '"usageHistory.keepDays" ',
  ),
  ...keysWith('usageHistory', [{ days: 3 }], '"usageHistory" has no option "days"; did you mean'),
  ...keysWith('onEvent', [{}, 'log'], '"onEvent" must be a function.'),
  ...keysWith('onAuthentication', [{}], '"onAuthentication" must be a function.'),
  ...keysWith('now', [0, 1_700_000_000_000], '"now" must be a function.'),
  ...keysWith(
    'resources',
    [{}, [], 'project', null, { types: ['project'] }],
    '"resources" must come from defineResources',
  ),
  ...keysWith('privateNetworks', ['yes', 1, null], '"privateNetworks" must be true or false'),
  ['createApiKeys', JSON.parse('{"__proto__":1}'), '"__proto__"'],
  ['createApiKeys', { flushMs: 5 }, 'there is no option "flushMs"; did you mean "usageFlushMs"?'],

  ...keysWith('cache', [null, true, 5], '"cache" must be an object.'),
  ...keysWith('cache', [{}], NO_LOG),
  ...[undefined, null, {}, { register: () => {}, renew: () => {} }].map(
    (log): Row => ['createApiKeys', { storage: logging(log), cache: {} }, NO_LOG],
  ),
  ['createApiKeys', { storage: withoutRecent, cache: { warm: 1 } }, '"cache.warm" needs a storage'],
  ...caching({ leaseMs: 499 }, '"cache.leaseMs" must be 500 to 30000'),
  ...caching({ leaseMs: 30_001 }, '"cache.leaseMs" must be 500 to 30000'),
  ...caching({ leaseMs: 1_000.5 }, '"cache.leaseMs" must be a whole number'),
  ...caching({ maxKeys: 0 }, '"cache.maxKeys" must be a whole number from 1 to 16777216'),
  ...caching({ maxKeys: 1.5 }, '"cache.maxKeys"'),
  ...caching({ maxKeys: 16_777_217 }, '"cache.maxKeys"'),
  ...caching({ warm: -1 }, '"cache.warm" must be a whole number from 0 to 100000'),
  ...caching({ warm: 0.5 }, '"cache.warm" must be a whole number'),
  ...caching({ warm: 11, maxKeys: 10 }, '"cache.warm" must be a whole number from 0 to 10'),
  ...caching({ maxkeys: 1 }, '"cache" has no option "maxkeys"; did you mean "maxKeys"?'),
  ...caching({ ttlMs: 1 }, '"cache" has no option "ttlMs"; known names: leaseMs,'),
  [
    'createApiKeys',
    { storage: logged, cache: { warm: 1 }, usageHistory: false },
    'option "cache.warm" needs the option "usageHistory".',
  ],

  ...keysWith('formats', [null, 'old', MANY], '"formats" must be a list of at most 8.'),
  ...keysWith('formats', [[FORMAT, FORMAT]], '"formats" must not repeat an id.'),
  ...[null, ...['', 'Old', '1st', 'a234567890123'].map((id) => ({ ...FORMAT, id }))].flatMap(
    (format) => formats(format, FORMAT_ID),
  ),
  ...formats({ id: 'old' }, 'format "old" needs a function "test".'),
  ...formats({ ...FORMAT, test: /old/ }, 'format "old" needs a function "test".'),
  ...formats({ ...FORMAT, digest: 'sha256' }, 'format "old": "digest" must be a function.'),
  ...formats(
    { ...FORMAT, hash: 1 },
    'a format has no option "hash"; known names: id, test, digest.',
  ),

  ['relayEvents', { storage: { claimEvents: async () => [] } }, 'acknowledgeEvents'],
  ['relayEvents', { storage: { claimEvents() {}, acknowledgeEvents() {} } }, 'releaseEvents'],
  ...each('relayEvents', 'pollMs', [Number.NaN, 0], '"pollMs"'),
  ['relayEvents', { leaseMs: 2 ** 31 }, '"leaseMs"'],
  ['relayEvents', { onError: 'log' }, '"onError"'],
  ['relayEvents', { interval: 5 }, '"interval"'],

  ['writeNotices', undefined, 'writeNotices: options'],
  ['writeNotices', { storage: null }, 'writeNotices: option "storage"'],
  ['writeNotices', { storage: {} }, 'due('],
  ['writeNotices', { storage: { due: () => [] } }, 'write('],
  ['writeNotices', { pollMs: 0 }, '"pollMs"'],
  ['writeNotices', { storageTimeoutMs: 0 }, '"storageTimeoutMs"'],
  ['writeNotices', { now: 5 }, '"now"'],
  ['writeNotices', { onError: 'x' }, '"onError"'],
  ['writeNotices', { leaseMs: 5 }, '"leaseMs"'],

  ...(['requireKey', 'requireScope', 'guardAnswers'] as const).map(
    (caller): Row => [
      caller,
      { relm: 'orders' },
      `${caller}: there is no option "relm"; did you mean "realm"?`,
    ],
  ),
  ...each(
    'guardAnswers',
    'realm',
    ['', 'a"b', 'a\\b', '"a', 'a"', 'a\n', '\x1f', '\x7f', 'é', 'واجهة', null, 7, ['api']],
    'The realm must be visible ASCII characters without " and \\.',
  ),
  ...each(
    'requireKey',
    'accept',
    [[], ['bearer', 'bearer'], ['cookie'], ['bearer', 'cookie'], ['__proto__'], 'bearer', null],
    `Option "accept" ${PLACES}`,
  ),
  ...each('requireKey', 'cleartext', ['deny', null], '"cleartext" must'),
  ['requireKey', { cleartext: 'refuse' }, '"isSecure"'],
  ['requireKey', { isSecure: true }, '"isSecure"'],
  ['requireKey', { cleartext: 'refuse', isSecure: null }, '"isSecure"'],
  ...each(
    'requireKey',
    'resource',
    ['all', { project: 'p_1' }, null],
    '"resource" must be a function',
  ),
  ...each('requireKey', 'clientAddress', ['198.51.100.7', null], '"clientAddress" must be a func'),
  ['requireKey', { onDenied: 'later' }, 'Option "onDenied" must be a function.'],
  ['requireKey', { cost: 0 }, 'The cost of a request must be a whole number'],
  ['requireScope', { resource: 'by_route' }, 'must not be "by_route"'],
  ['requireScope without a requirement', {}, NEEDS],

  ...(['createRedactor', 'secretPattern', 'looksLikeSecret'] as const).flatMap((caller) =>
    BRANDS.map((brand): Row => [caller, brand, `${caller}: the brand ${BRAND}`]),
  ),
]

test.each(ROWS.map(([caller, options, message]) => ({ caller, options, message })))(
  '$caller refuses $options: $message',
  ({ caller, options, message }) => {
    const good = caller in GOOD ? GOOD[caller as keyof typeof GOOD] : {}
    const given = typeof options === 'object' && options ? { ...good, ...options } : options
    const call = () => CALLS[caller](given as never)
    expect(call).toThrow(TypeError)
    expect(call).toThrow(message)
  },
)
