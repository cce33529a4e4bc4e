import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { expect, test } from 'vitest'
import { isInNetworks, networkProblem } from '../../../src/restrictions/networks.ts'
import { runs } from '../../support/runs.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** An address as ipaddr.js reads it, without the forms that it reads too freely. */
function read(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  const end = text.slice(text.lastIndexOf(':') + 1)
  if (end.includes('.') && !ipaddr.IPv4.isValidFourPartDecimal(end)) return null
  if (/%|^::\d+\./.test(text) || !ipaddr.IPv6.isValid(text)) return null
  return ipaddr.IPv6.parse(text)
}

const isMapped = (address: Address): address is ipaddr.IPv6 =>
  address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress()

/** The network as it is stored, or `null` if the text is not a network. */
function stored(address: string, length: number): string | null {
  const first = read(address)
  if (first === null || length > (first.kind() === 'ipv4' ? 32 : 128)) return null
  if (isMapped(first) && length >= 96) return stored(`${first.toIPv4Address()}`, length - 96)
  if (length === 0) return null
  const text = `${first}/${length}`
  return first.kind() === 'ipv4'
    ? `${ipaddr.IPv4.networkAddressFromCIDR(text)}/${length}`
    : `${ipaddr.IPv6.networkAddressFromCIDR(text).toRFC5952String()}/${length}`
}

function contains(network: string, text: string): boolean | null {
  const found = read(text)
  if (found === null) return null
  const address = isMapped(found) ? found.toIPv4Address() : found
  const [first, length] = ipaddr.parseCIDR(network)
  return first.kind() === address.kind() && address.match(first as never, length)
}

const number = fc.oneof(
  fc.integer({ min: 0, max: 300 }).map(String),
  fc.constantFrom('', '01', '007', '0x1', '1e1', '256'),
)
const group = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16)),
  fc.constantFrom('0', '0', '', '0db8', 'FFFF', '00000', 'g'),
)
const four = fc.array(number, { minLength: 3, maxLength: 5 }).map((parts) => parts.join('.'))
const rightFour = fc.ipV4()
const six = fc
  .tuple(fc.array(group, { maxLength: 8 }), fc.array(group, { maxLength: 8 }))
  .map(([before, after]) => `${before.join(':')}::${after.join(':')}`)
const embedded = fc
  .tuple(fc.constantFrom('::ffff:', '0:0:0:0:0:FFFF:', '64:ff9b::', '::', '1:2:3:'), four)
  .map(([before, after]) => before + after)
const right = fc.oneof(
  rightFour,
  fc.ipV6(),
  rightFour.map((text) => `::ffff:${text}`),
)
const spoilt = fc
  .tuple(
    right,
    fc.nat(40),
    fc.constantFrom(' ', '%', '/', '\t', '\n', '@', '#', '.', ':', ']', '０'),
  )
  .map(([text, at, mark]) => text.slice(0, at) + mark + text.slice(at))
const address = fc.oneof(right, four, six, embedded, spoilt)

test('a network is what ipaddr.js reads, in its canonical form', () => {
  fc.assert(
    fc.property(address, fc.integer({ min: 0, max: 130 }), (text, length) => {
      const canonical = stored(text, length)
      const given = `${text}/${length}`
      const expected =
        canonical === null
          ? expect.objectContaining({ code: 'invalid_value' })
          : canonical === given
            ? null
            : { code: 'not_canonical', message: `must be written ${canonical}.` }
      expect(networkProblem(given, true)).toEqual(expected)
    }),
    { numRuns: runs(1_000) },
  )
})

test('an address is in the networks that ipaddr.js finds it in', () => {
  fc.assert(
    fc.property(
      right,
      fc.integer({ min: 1, max: 128 }),
      address,
      fc.boolean(),
      (near, length, far, isNear) => {
        const network = stored(near, length)
        fc.pre(network !== null)
        const text = isNear ? near : far
        // With a port, which ipaddr.js does not read.
        fc.pre(!/^[\d.]+:/.test(text))
        expect(isInNetworks([network ?? ''], text)).toBe(contains(network ?? '', text))
      },
    ),
    { numRuns: runs(1_000) },
  )
})
