import { describe, expect, test } from 'vitest'
import { DAY_MS, later, saidOf } from '../../../support/lifecycle/world.ts'
import { keyInput, openWorld, refusal, START_MS, thrown } from '../../../support/world.ts'

const PLAIN = 'invalid_value: must be 1 to 255 characters without control characters.'
const INVISIBLE =
  'forbidden_character: must not contain control, text-direction or other invisible characters.'
const OWN = 'must not begin with "miftah:".'
const RANGE = 'must be at least 60 seconds ahead and at most in the year 9999.'
const TEXTS = 'must be an object whose values are text.'
const ENTRY = 'has an entry whose name is not allowed.'
const NUL = 'must be text without NUL.'
const LONG = 'must have at most 500 characters.'
const BYTES = 'must have at most 4096 bytes as JSON.'
const REQUIRED = ['workspaceId', 'creator', 'name', 'environment', 'scopes'].map(
  (field) => `${field} required: is required.`,
)

/** The messages of an input that is refused before the storage is asked. */
async function said(input: unknown) {
  const world = openWorld()
  const sentences = await saidOf(world.keys.createKey(input as never))
  expect(world.asked()).toEqual([])
  return sentences
}

const trap = () => thrown(new Error('no'))

const texts = (count: number, value = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, value]))

/** Metadata that takes this many bytes as JSON. */
const ofBytes = (bytes: number) => {
  const values = { ...texts(8, 'a'.repeat(500)), rest: '' }
  return { ...values, rest: 'a'.repeat(bytes - JSON.stringify(values).length) }
}

/** Its own method says tomorrow; it is a second ago. */
class OtherTime extends Date {
  override getTime(): number {
    return START_MS + DAY_MS
  }
}

const NAMES = ['a b', '', 'constructor', 'prototype', '__proto__', 'n'.repeat(41)]
const entry = (name: string) => JSON.parse(`{ "${name}": "x" }`)
const SPARSE = Object.assign(['contacts.read'], { 2: 'flows.read' })
const NO_INSTANTS = [
  ...['2026-02-30T00:00:00Z', '2026-06-01T00:00:00', '2026-06-01', START_MS + DAY_MS, {}],
  ...[Number.NaN, new Date(Number.NaN), { getTime: () => START_MS + DAY_MS }],
]
const TOO_SOON_OR_LATE = [
  ...[later(59_999), new Date(Date.UTC(10_000, 0, 1)), new OtherTime(START_MS - 1_000)],
]

/** Values of a field, and what is said of each. */
const REFUSED: readonly (readonly [field: string, values: readonly unknown[], said: string])[] = [
  ['workspaceId', [7], 'workspaceId invalid_type: must be text, not a number.'],
  ['workspaceId', ['', ' ', 'a\0b', 'w'.repeat(256)], `workspaceId ${PLAIN}`],
  ['creator', ['me'], 'creator invalid_type: must be an object.'],
  ['creator', [{ id: '\n', name: 'x' }], `creator.id ${PLAIN}`],
  ['creator', [{ id: 'miftah:system', name: 'n' }], `creator.id invalid_value: ${OWN}`],
  ['creator', [{ id: 'u', name: 'n', 'a b': 1 }], 'creator unknown_field: has an unknown field.'],
  ['name', [undefined, '  '], 'name required: is required.'],
  ['name', [[]], 'name invalid_type: must be text.'],
  ['name', ['a'.repeat(121)], 'name too_long: must have at most 120 characters.'],
  ['name', ['a\0b'], `name ${INVISIBLE}`],
  ['environment', ['LIVE'], 'environment invalid_value: must be live or test.'],
  ['environment', [7], 'environment invalid_type: must be text.'],
  ['scopes', ['contacts.read', { 0: 'a', length: 1 }], 'scopes invalid_type: must be a list.'],
  ['scopes', [[]], 'scopes required: must name at least one.'],
  ['scopes', [['contacts.red']], 'scopes.0 unknown_scope: is not a scope of the catalogue.'],
  ['scopes', [[7]], 'scopes.0 invalid_type: must be text.'],
  ['scopes', [SPARSE], 'scopes.1 required: is required.'],
  ['note', ['x'.repeat(201)], 'note too_long: must have at most 200 characters.'],
  ['note', ['a\u202Eb'], `note ${INVISIBLE}`],
  ['note', [7], 'note invalid_type: must be text, not a number.'],
  ['expiresAt', NO_INSTANTS, 'expiresAt invalid_value: must be an instant with an offset.'],
  ['expiresAt', TOO_SOON_OR_LATE, `expiresAt out_of_range: ${RANGE}`],
  ['metadata', ['team', null, ['team']], `metadata invalid_type: ${TEXTS}`],
  ['metadata', [texts(21)], 'metadata too_long: must have at most 20 entries.'],
  ['metadata', NAMES.map(entry), `metadata invalid_value: ${ENTRY}`],
  ['metadata', [{ team: 7 }], 'metadata.team invalid_type: must be text.'],
  ['metadata', [{ team: '\0' }, { team: '\ud800' }], `metadata.team forbidden_character: ${NUL}`],
  ['metadata', [{ team: 'x'.repeat(501) }], `metadata.team too_long: ${LONG}`],
  ['metadata', [ofBytes(4_097), texts(12, 'م'.repeat(200))], `metadata too_long: ${BYTES}`],
  ['id', ['key_1'], 'id unknown_field: is not a known field.'],
]

describe('a field is refused in words that people read', () => {
  test.each(
    REFUSED.flatMap(([field, values, sentence]) =>
      values.map((value) => [{ [field]: value }, sentence] as const),
    ),
  )('%j', async (fields, sentence) => {
    expect(await said(keyInput({ ...fields }))).toEqual([sentence])
  })

  test.each<[Record<string, unknown>]>([
    [{ workspaceId: '🔑'.repeat(255) }],
    [{ metadata: texts(20) }],
    [{ metadata: { ['n'.repeat(40)]: '🔑'.repeat(500) } }],
    [{ metadata: { newline: 'a\nb', price: '5 €', 'a.b-c_1': '' } }],
    [{ metadata: ofBytes(4_096) }],
    ...[later(60_000), new Date(Date.UTC(10_000, 0, 1) - 1), null].map(
      (expiresAt): [Record<string, unknown>] => [{ expiresAt }],
    ),
  ])('%j is fine', async (fields) => {
    expect((await openWorld().keys.createKey(keyInput(fields))).key).toMatchObject(fields)
  })
})

describe('all problems are told at once', () => {
  const repeated = 'scopes repeated: must not repeat a scope.'
  test.each<[string, unknown, readonly string[]]>([
    ['nothing', undefined, [' required: is required.']],
    ['null', null, [' invalid_type: must be an object.']],
    ['a text', 'x', [' invalid_type: must be an object.']],
    ['a list', [], [' invalid_type: must be an object.']],
    ['an empty object', {}, REQUIRED],
    ['inherited fields', Object.create(keyInput()), REQUIRED],
    [
      '__proto__ from JSON',
      JSON.parse('{"__proto__":{"name":"x"}}'),
      [...REQUIRED, '__proto__ unknown_field: is not a known field.'],
    ],
    [
      'a repeated scope beside an unknown one',
      keyInput({ scopes: ['contacts.read', 'nope', 'contacts.read', 8] }),
      [
        'scopes.1 unknown_scope: is not a scope of the catalogue.',
        'scopes.3 invalid_type: must be text.',
        repeated,
      ],
    ],
    [
      'more scopes than there are',
      keyInput({ scopes: Array(25).fill('contacts.read') }),
      ['scopes too_long: must name at most 24 scopes.', repeated],
    ],
    [
      'a getter that throws',
      Object.defineProperty(keyInput({ environment: 'dev' }), 'name', {
        enumerable: true,
        get: trap,
      }),
      ['name required: is required.', 'environment invalid_value: must be live or test.'],
    ],
    ['a proxy that throws', new Proxy({}, { ownKeys: trap }), [' required: is required.']],
    [
      'a list whose items throw',
      keyInput({ scopes: new Proxy(['contacts.read'], { get: trap }) }),
      ['scopes required: is required.'],
    ],
    [
      'what is nested without end',
      keyInput({ name: deep(), scopes: [deep()] }),
      ['name invalid_type: must be text.', 'scopes.0 invalid_type: must be text.'],
    ],
  ])('of %s', async (_, input, sentences) => {
    expect(await said(input)).toEqual(sentences)
  })

  function deep(): unknown {
    let value: unknown = 'x'
    for (let depth = 0; depth < 100_000; depth += 1) value = [value]
    return value
  }

  test('in one message, which repeats no value', async () => {
    const value = 'hunter2'
    const fields = { name: `${value}\0`, environment: value, scopes: [value], extra: value }
    const creator = { id: `${value}\0`, name: `${value}\0` }
    const input = keyInput({ ...fields, creator, workspaceId: `${value}\0` })
    const error = await refusal(openWorld().keys.createKey(input as never))
    expect(error.message).toMatch(
      /^The input is not valid: workspaceId: must be .*\. creator\.id: /,
    )
    const shown = `${error.message} ${error.stack} ${JSON.stringify(error.issues)}`
    expect(shown).not.toContain(value)
  })

  const secret = 'svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd000000'
  test.each([secret, 'a'.repeat(64), 'x\ny', '', 'حقل', '\u202e', 'a b'])(
    'without the name of the unknown field %j',
    async (name) => {
      expect(await said(keyInput({ [name]: 1 }))).toEqual([' unknown_field: has an unknown field.'])
    },
  )
})

test('a getter is read once, so the value that was checked is the one that is used', async () => {
  let reads = 0
  const get = () => {
    reads += 1
    return reads === 1 ? 'good' : 'bad\u202e'
  }
  const shifty = Object.defineProperty(keyInput(), 'name', { enumerable: true, get })
  const { key } = await openWorld().keys.createKey(shifty)
  expect([key.name, reads]).toEqual(['good', 1])
})

describe('large inputs', () => {
  test('of a sparse list of 2³² holes only the first are looked at', async () => {
    let looks = 0
    const scopes = new Proxy(new Array(2 ** 32 - 1), {
      get: (list, name) => {
        looks += 1
        return Reflect.get(list, name)
      },
    })
    expect(await said(keyInput({ scopes }))).toHaveLength(50)
    expect(looks).toBeLessThan(1_000)
  })

  test('50 issues of a field hide no other field', async () => {
    const scopes = Array.from({ length: 100_000 }, (_, at) => `s${at}`)
    const sentences = await said(keyInput({ scopes, name: '', extra: 1 }))
    expect(sentences.filter((one) => one.startsWith('scopes'))).toHaveLength(50)
    expect(sentences.filter((one) => !one.startsWith('scopes'))).toEqual([
      'name required: is required.',
      'extra unknown_field: is not a known field.',
    ])
  })

  test('100,000 unknown fields give 50 issues', async () => {
    expect(await said(keyInput(texts(100_000)))).toHaveLength(50)
  })

  test('a name of ten million characters is too long', async () => {
    const [sentence] = await said(keyInput({ name: 'x'.repeat(10_000_000) }))
    expect(sentence).toMatch(/^name too_long/)
  })
})
