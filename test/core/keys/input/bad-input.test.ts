import { describe, expect, test } from 'vitest'
import type { InputIssue } from '../../../../src/index.ts'
import { action, keyInput, openWorld, refusal } from '../../../support/world.ts'

/** `path:code` of every issue, sorted. */
const summary = (issues: readonly InputIssue[]) =>
  issues.map(({ path, code }) => `${path.join('.')}:${code}`).sort()

const REQUIRED = ['creator', 'environment', 'name', 'scopes', 'workspaceId'].map(
  (field) => `${field}:required`,
)

async function issuesOf(input: unknown) {
  const world = openWorld()
  const error = await refusal(world.keys.createKey(input as never))
  expect(error.code).toBe('invalid_input')
  expect(world.asked(), 'nothing is asked and nothing written').toEqual([])
  return error.issues
}

describe('createKey refuses', () => {
  const cases: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['nothing', undefined, [':required']],
    ['null', null, [':invalid_type']],
    ['a text', 'x', [':invalid_type']],
    ['a list', [], [':invalid_type']],
    ['an empty object, naming every field', {}, REQUIRED],
    [
      'wrong types everywhere',
      { workspaceId: 1, creator: 'me', name: ['x'], environment: true, scopes: 'contacts.read' },
      REQUIRED.map((issue) => issue.replace('required', 'invalid_type')),
    ],
    ['121 code points', keyInput({ name: 'a'.repeat(121) }), ['name:too_long']],
    ['a control', keyInput({ name: 'a\0b' }), ['name:forbidden_character']],
    ['an empty name', keyInput({ name: '  ' }), ['name:required']],
    ['another environment', keyInput({ environment: 'LIVE' }), ['environment:invalid_value']],
    ['no scope', keyInput({ scopes: [] }), ['scopes:required']],
    ['an unknown scope', keyInput({ scopes: ['contacts.red'] }), ['scopes.0:unknown_scope']],
    ['a number for a scope', keyInput({ scopes: [7] }), ['scopes.0:invalid_type']],
    [
      'a repeated scope',
      keyInput({ scopes: ['contacts.read', 'flows.read', 'contacts.read'] }),
      ['scopes:repeated'],
    ],
    [
      'a repeated scope beside an unknown one',
      keyInput({ scopes: ['contacts.read', 'nope', 'contacts.read', 8] }),
      ['scopes.1:unknown_scope', 'scopes.3:invalid_type', 'scopes:repeated'],
    ],
    [
      'a hole in the list',
      keyInput({ scopes: Object.assign(['contacts.read'], { 2: 'flows.read' }) }),
      ['scopes.1:required'],
    ],
    [
      'an object like a list',
      keyInput({ scopes: { 0: 'contacts.read', length: 1 } }),
      ['scopes:invalid_type'],
    ],
    [
      "an id of miftah's own as the creator",
      keyInput({ creator: { id: 'miftah:system', name: 'n' } }),
      ['creator.id:invalid_value'],
    ],
    [
      'blank identifiers',
      keyInput({ workspaceId: ' ', creator: { id: '', name: '\t' } }),
      ['creator.id:invalid_value', 'creator.name:invalid_value', 'workspaceId:invalid_value'],
    ],
    ['a NUL in an identifier', keyInput({ workspaceId: 'a\0b' }), ['workspaceId:invalid_value']],
    [
      '256 characters of identifier',
      keyInput({ workspaceId: 'w'.repeat(256) }),
      ['workspaceId:invalid_value'],
    ],
    [
      '__proto__ from JSON',
      JSON.parse('{"__proto__":{"name":"x"}}'),
      ['__proto__:unknown_field', ...REQUIRED],
    ],
    ['inherited fields', Object.create(keyInput()), REQUIRED],
    [
      'a getter that throws',
      Object.defineProperty({ ...keyInput(), environment: 'dev' }, 'name', {
        enumerable: true,
        get: () => {
          throw new Error('no')
        },
      }),
      ['environment:invalid_value', 'name:required'],
    ],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('no')
          },
        },
      ),
      [':required'],
    ],
    ['a revoked proxy', revokedProxy({}), [':required']],
    [
      'a list whose items throw',
      keyInput({
        scopes: new Proxy(['contacts.read'], {
          get: () => {
            throw new Error('no')
          },
        }),
      }),
      ['scopes:required'],
    ],
  ]

  test.each(cases)('%s', async (_, input, expected) => {
    expect(summary(await issuesOf(input))).toEqual([...expected].sort())
  })

  test('a field whose name does not look like one, without repeating it', async () => {
    const secret = 'svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd000000'
    for (const name of [secret, 'a'.repeat(64), 'x\ny', '', 'حقل', '\u202e', 'a b']) {
      const world = openWorld()
      const error = await refusal(world.keys.createKey(keyInput({ [name]: 1 }) as never))
      expect(summary(error.issues)).toEqual([':unknown_field'])
      if (name !== '') expect(error.message + JSON.stringify(error.issues)).not.toContain(name)
    }
  })
})

describe('a getter is read once', () => {
  test('what was checked is what is used', async () => {
    let reads = 0
    const shifty = Object.defineProperty({ ...keyInput() }, 'name', {
      enumerable: true,
      get: () => {
        reads += 1
        return reads === 1 ? 'good' : 'bad\u202e'
      },
    })
    const { key } = await openWorld().keys.createKey(shifty)
    expect(key.name).toBe('good')
    expect(reads).toBe(1)
  })
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
    expect(await issuesOf(keyInput({ scopes }))).toHaveLength(50)
    expect(looks).toBeLessThan(1_000)
  })

  test('a long list hides no other field', async () => {
    const scopes = Array.from({ length: 100_000 }, (_, at) => `s${at}`)
    const issues = await issuesOf(keyInput({ scopes, name: '', extra: 1 }))
    expect(issues.filter(({ path }) => path[0] === 'scopes')).toHaveLength(50)
    expect(summary(issues.filter(({ path }) => path[0] !== 'scopes'))).toEqual([
      'extra:unknown_field',
      'name:required',
    ])
  })

  test('100,000 unknown fields give 50 issues', async () => {
    const fields = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`f${at}`, at]))
    expect(await issuesOf(keyInput(fields))).toHaveLength(50)
  })

  test('a name of ten million characters', async () => {
    expect(summary(await issuesOf(keyInput({ name: 'x'.repeat(10_000_000) })))).toEqual([
      'name:too_long',
    ])
  })

  test('deep nesting is not followed', async () => {
    let deep: unknown = 'x'
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep]
    expect(summary(await issuesOf(keyInput({ name: deep, scopes: [deep] })))).toEqual([
      'name:invalid_type',
      'scopes.0:invalid_type',
    ])
  })
})

describe('no issue and no message repeats a value', () => {
  test('of any field', async () => {
    const marker = 'hunter2'
    const world = openWorld()
    const error = await refusal(
      world.keys.createKey({
        workspaceId: `${marker}\0`,
        creator: { id: `${marker}\0`, name: `${marker}\0` },
        name: `${marker}\0`,
        environment: marker,
        scopes: [marker, marker],
        extra: marker,
      } as never),
    )
    expect(error.issues.length).toBeGreaterThanOrEqual(9)
    expect(`${error.message} ${error.stack} ${JSON.stringify(error.issues)}`).not.toContain(marker)
  })
})

describe('the other operations refuse', () => {
  test.each([
    ['rotateKey', {}, ['actor:required', 'id:required', 'workspaceId:required']],
    ['revokeKey', { ...action('key_x'), force: true }, ['force:unknown_field']],
    ['revokeKey', { ...action('key_x'), id: 7 }, ['id:invalid_type']],
    ['rotateKey', { ...action('key_x'), actor: null }, ['actor:invalid_type']],
    ['listKeys', {}, ['workspaceId:required']],
    [
      'listKeys',
      { workspaceId: 'w', status: 'gone', environment: 'dev', limit: 0, cursor: 7 },
      [
        'cursor:invalid_type',
        'environment:invalid_value',
        'limit:out_of_range',
        'status:invalid_value',
      ],
    ],
    ['listKeys', { workspaceId: 'w', limit: Number.NaN }, ['limit:invalid_type']],
    [
      'listEvents',
      { workspaceId: 'w', limit: 201, after: 'x' },
      ['after:unknown_field', 'limit:out_of_range'],
    ],
    ['listEvents', null, [':invalid_type']],
  ] as const)('%s: %j', async (operation, input, expected) => {
    const world = openWorld()
    const error = await refusal(world.keys[operation](input as never))
    expect(error.code).toBe('invalid_input')
    expect(summary(error.issues)).toEqual([...expected].sort())
    expect(world.asked()).toEqual([])
  })
})

function revokedProxy(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}
