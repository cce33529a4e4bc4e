import { describe, expect, test } from 'vitest'
import { areWithin, isInNetworks, networkProblem } from '../../../src/restrictions/networks.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { keyInput, openWorld, refusal } from '../../support/world.ts'

simulateTime()

const invalid = {
  code: 'invalid_value',
  message: 'must be an IPv4 or IPv6 network such as 198.51.100.0/24.',
}
const meant = (text: string) => ({ code: 'not_canonical', message: `must be written ${text}.` })
const isPrivate = { code: 'invalid_value', message: 'must not be in a private network.' }

/* networks.property.test.ts compares both with another reader of addresses, in every form. */

describe('a network', () => {
  test.each([
    ['198.51.100.0/24', null],
    ['198.51.100.7/32', null],
    ['2001:db8::7/128', null],
    ['1:2:3:4:5:6:7:8/128', null],
    // Host bits.
    ['198.51.100.7/24', meant('198.51.100.0/24')],
    ['2001:db8::7/64', meant('2001:db8::/64')],
    // One network in other words.
    ['::ffff:198.51.100.0/120', meant('198.51.100.0/24')],
    ['2001:DB8::/32', meant('2001:db8::/32')],
    // Everything.
    ['::/0', invalid],
    ['::ffff:0.0.0.0/96', invalid],
    // No network.
    ['198.51.100.0', invalid],
    ['1:2:3:4:5:6:7:8/129', invalid],
    ['198.51.100.0/24/24', invalid],
    ['198.51.100/24', invalid],
    ['0xc6.51.100.0/24', invalid],
    ['::198.51.100.0/120', invalid],
    ['١٩٨.51.100.0/24', invalid],
  ])('%j', (text, problem) => {
    expect(networkProblem(text, true)).toEqual(problem)
  })

  test.each([
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.1/32',
    '169.254.169.254/32',
    '172.16.0.0/12',
    '192.168.1.0/24',
    '::1/128',
    'fc00::/7',
    'fe80::/10',
    // These only overlap one.
    '8.0.0.0/6',
    '100.0.0.0/8',
    'fc00::/6',
    '::/8',
  ])('%s is private, or overlaps what is', (text) => {
    expect(networkProblem(text, false)).toEqual(isPrivate)
    expect(networkProblem(text, true)).toBeNull()
  })

  test.each(['11.0.0.0/8', '100.128.0.0/9', '172.32.0.0/11', '192.169.0.0/16', '2001:db8::/32'])(
    '%s is not',
    (text) => expect(networkProblem(text, false)).toBeNull(),
  )
})

describe('an address', () => {
  const networks = ['198.51.100.0/24', '2001:db8::/32']

  test.each([
    '198.51.100.0',
    '::ffff:198.51.100.7',
    '2001:db8::1',
    '2001:db8::198.51.100.7',
    // With a port, as some proxies give it.
    '198.51.100.7:51234',
    '[2001:db8::1]:443',
  ])('%j is in them', (address) => expect(isInNetworks(networks, address)).toBe(true))

  test.each([
    '198.51.101.0',
    '::ffff:198.51.101.7',
    // Not mapped, but translated or embedded: another host each.
    '64:ff9b::198.51.100.7',
    '2002:c633:6407::',
    '[2001:db9::1]:443',
  ])('%j is not', (address) => expect(isInNetworks(networks, address)).toBe(false))

  test.each([
    // Compatible: it could be another host.
    '::198.51.100.7',
    '',
    '127.0.0.01',
    '198.51.100.7, 203.0.113.9',
    '198.51.100.7:http',
    '198.51.100.7:123456',
    '[2001:db8::1%eth0]:443',
    '[2001:db8::1]443',
    '2001:db8::1]/[',
    '198.51.100.7\n',
  ])('%j is no address', (address) => expect(isInNetworks(networks, address)).toBeNull())

  test('is read again once 1,000 others came, and a text too long for one is none', () => {
    const bounds = Object.freeze(['198.51.100.0/24'])
    for (let at = 0; at < 1_100; at += 1) {
      expect(isInNetworks(bounds, `198.51.${Math.floor(at / 256)}.${at % 256}`)).toBe(false)
      expect(isInNetworks(bounds, '198.51.100.7')).toBe(true)
    }
    expect(isInNetworks(bounds, `198.51.100.7${' '.repeat(42)}`)).toBeNull()
    expect(isInNetworks(bounds, '0000:0000:0000:0000:0000:ffff:198.051.100.007')).toBeNull()
    expect(isInNetworks(bounds, '[0000:0000:0000:0000:0000:ffff:198.51.100.007]:65535')).toBeNull()
    expect(isInNetworks(bounds, '[0000:0000:0000:0000:0000:ffff:198.51.100.70]:65535')).toBe(true)
  })

  test('of a frozen list is found as often as one likes', () => {
    const list = Object.freeze(['198.51.100.0/24'])
    for (let time = 0; time < 3; time += 1) expect(isInNetworks(list, '198.51.100.9')).toBe(true)
    const open = ['198.51.100.0/24']
    expect(isInNetworks(open, '198.51.100.9')).toBe(true)
    open[0] = '203.0.113.0/24'
    expect(isInNetworks(open, '198.51.100.9')).toBe(false)
  })
})

test('a stored network that cannot be read is a failure, not a match', () => {
  const networks = ['198.51.100.0/24', '198.51.100.0/33']
  expect(() => isInNetworks(networks, '198.51.100.7')).toThrow(TypeError)
})

test.each([
  ['any', 'any', true],
  ['any', ['198.51.100.0/24'], false],
  [['198.51.100.0/24'], 'any', true],
  [['198.51.100.0/24'], ['198.51.100.0/24'], true],
  [['198.51.100.0/25'], ['198.51.100.0/24'], true],
  [['198.51.100.0/23'], ['198.51.100.0/24'], false],
  [['198.51.100.0/25', '203.0.113.0/24'], ['198.51.100.0/24'], false],
  // Each of two halves is within the whole, and not the other way round.
  [['198.51.100.0/24'], ['198.51.100.0/25', '198.51.100.128/25'], false],
  [['2001:db8:1::/48'], ['198.51.0.0/16', '2001:db8::/32'], true],
  [['2001:db8::/32'], ['198.51.0.0/16'], false],
] as const)('%j within %j: %s', (one, other, expected) => {
  expect(areWithin(one, other)).toBe(expected)
})

describe('the networks of a key', () => {
  const create = (networks: unknown, options = {}) =>
    openWorld(options).keys.createKey(keyInput({ networks }))
  const many = Array.from({ length: 21 }, (_, at) => `198.51.${at}.0/24`)

  test.each([
    [[], 'required', []],
    [null, 'invalid_type', []],
    ['all', 'invalid_type', []],
    [{}, 'invalid_type', []],
    [[7], 'invalid_type', [0]],
    [['0.0.0.0/0'], 'invalid_value', [0]],
    [['198.51.100.0/24', '10.0.0.0/8'], 'invalid_value', [1]],
    [['198.51.100.1/24'], 'not_canonical', [0]],
    [['198.51.100.0/24', '198.51.100.0/24'], 'repeated', []],
    [many, 'too_long', []],
  ])('%j: %s', async (networks, code, path) => {
    const { issues } = await refusal(create(networks))
    expect(issues).toMatchObject([{ code, path: ['networks', ...path] }])
  })

  test('20 of them, and private ones where the host allows it', async () => {
    const { key } = await create(many.slice(1))
    expect(key.networks).toEqual(many.slice(1))
    const inside = await create(['10.0.0.0/8'], { privateNetworks: true })
    expect(inside.key.networks).toEqual(['10.0.0.0/8'])
    expect(Object.isFrozen(inside.key.networks)).toBe(true)
  })

  async function restricted() {
    const world = openWorld()
    const { secret, key } = await world.keys.createKey(
      keyInput({ networks: ['198.51.100.0/24', '2001:db8::/32'] }),
    )
    const use = (options?: object) => world.keys.authenticate(`Bearer ${secret}`, null, options)
    return { world, key, use }
  }

  test.each([
    ['inside', { clientAddress: '198.51.100.7' }, true],
    ['outside', { clientAddress: '203.0.113.9' }, false],
    ['not named', {}, false],
    ['without options', undefined, false],
    ['inherited', Object.create({ clientAddress: '203.0.113.9' }), false],
  ])('%s: %#', async (_, options, ok) => {
    const { use, key } = await restricted()
    const answer = await use(options)
    expect(answer).toMatchObject(ok ? { ok } : { ok, reason: 'network_not_allowed', keyId: key.id })
  })

  test.each([7, '', 'unknown', '198.51.100.7, 203.0.113.9', '2001:db8::9%eth0'])(
    'what is no address is a fault of the host, and refused: %j',
    async (clientAddress) => {
      const { world, use } = await restricted()
      world.events.length = 0
      expect(await use({ clientAddress })).toMatchObject({ reason: 'network_not_allowed' })
      const message =
        'The option "clientAddress" must name one IP address, or null if it is not known.'
      expect(world.events).toMatchObject([
        { type: 'outage', operation: 'clientAddress', error: new TypeError(message) },
        { type: 'authentication.denied', reason: 'network_not_allowed' },
      ])
    },
  )

  test.each([null, undefined])(
    'an address that is %j is not known, which is no fault',
    async (clientAddress) => {
      const { world, use } = await restricted()
      world.events.length = 0
      expect((await use({ clientAddress })).ok).toBe(false)
      expect(world.events).toMatchObject([{ type: 'authentication.denied' }])
    },
  )
})
