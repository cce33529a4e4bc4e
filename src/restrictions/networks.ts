import ipaddr from 'ipaddr.js'
import type { KeyNetworks } from '../model/key.ts'

/** An address, or the first address of a network. */
type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A network: its first address and the length of its prefix. */
type Network = readonly [Address, number]

/** What is wrong with a network. */
export type NetworkProblem =
  | { readonly code: 'invalid_value' }
  | { readonly code: 'not_canonical'; readonly meant: string }
  | { readonly code: 'private_network' }

/**
 * Addresses that do not identify a host on the Internet: this host, private use, shared address space,
 * loopback and link-local (RFC 6890 §2.2).
 */
const PRIVATE = Object.freeze([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/127',
  'fc00::/7',
  'fe80::/10',
])

/** What is wrong with a text as a network of a key, or `null`. */
export function networkProblem(text: string, allowsPrivate: boolean): NetworkProblem | null {
  const network = networkIn(text)
  if (network === null || network[1] === 0) return { code: 'invalid_value' }
  const meant = canonical(network)
  if (meant !== text) return { code: 'not_canonical', meant }
  if (!allowsPrivate && networksOf(PRIVATE).some((range) => overlap(range, network))) {
    return { code: 'private_network' }
  }
  return null
}

/** Whether an address is in one of these networks; `null` for a text that is not one address without a zone. */
export function isInNetworks(networks: readonly string[], address: string): boolean | null {
  const known = addressIn(address)
  return known && networksOf(networks).some((network) => contains(network, known))
}

/** Whether every address of the first is one of the second. */
export function areWithin(networks: KeyNetworks, bounds: KeyNetworks): boolean {
  if (bounds === 'any') return true
  if (networks === 'any') return false
  const allowed = networksOf(bounds)
  return networksOf(networks).every(([address, length]) =>
    allowed.some((bound) => bound[1] <= length && contains(bound, address)),
  )
}

/**
 * The lists of networks of cached keys, read once: reading 20 takes 20 times as long as matching them. Not at
 * import, where reading the private ones took a sixth of what the core runs then.
 */
const known = new WeakMap<readonly string[], readonly Network[]>()

function networksOf(networks: readonly string[]): readonly Network[] {
  const read = known.get(networks)
  if (read !== undefined) return read
  const parsed = networks.map((text) => ipaddr.parseCIDR(text))
  if (Object.isFrozen(networks)) known.set(networks, parsed)
  return parsed
}

/** Addresses that were read, since callers come back: reading one takes longer than matching 20 networks. */
const addresses = new Map<string, Address | null>()
const MOST_ADDRESSES = 1_000

/** No address is longer, in brackets and with a port. */
const LONGEST = 53

/** What some proxies make of an address: with the port (RFC 3986 §3.2), IPv6 in brackets. */
const WITH_PORT = /^(?:([\d.]+)(?::\d{1,5})|\[([\da-f:.]+)\](?::\d{1,5})?)$/i

function addressIn(text: string): Address | null {
  if (text.length > LONGEST) return null
  const read = addresses.get(text)
  if (read !== undefined) return read
  const [, four, six] = WITH_PORT.exec(text) ?? []
  const address = readAddress(four ?? six ?? text)
  if (addresses.size >= MOST_ADDRESSES) addresses.clear()
  addresses.set(text, address)
  return address
}

/** IPv4 in four decimal parts or IPv6; an IPv4-mapped address (RFC 4291 §2.5.5.2) is the IPv4 address. */
function readAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  if (!isIpv6(text)) return null
  const address = ipaddr.IPv6.parse(text)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** Without a zone. ipaddr.js takes the compatible form `::192.0.2.1` for a mapped address, which it is not. */
function isIpv6(text: string): boolean {
  const end = text.slice(text.lastIndexOf(':') + 1)
  // It also reads an IPv4 part with leading zeros, which others take for octal.
  if (end.includes('.') && !ipaddr.IPv4.isValidFourPartDecimal(end)) return false
  return !text.includes('%') && !/^::\d+\./.test(text) && ipaddr.IPv6.isValid(text)
}

function networkIn(text: string): Network | null {
  const [, address = '', digits = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? []
  const isV4 = ipaddr.IPv4.isValidFourPartDecimal(address)
  if (!isV4 && !isIpv6(address)) return null
  const length = Number(digits)
  if (length > (isV4 ? 32 : 128)) return null
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && length >= 96) {
    return [parsed.toIPv4Address(), length - 96]
  }
  return [parsed, length]
}

/** The network in the form in which it is stored: without host bits, IPv6 as RFC 5952 writes it. */
function canonical([address, length]: Network): string {
  const text = `${address}/${length}`
  const first =
    address instanceof ipaddr.IPv6
      ? ipaddr.IPv6.networkAddressFromCIDR(text).toRFC5952String()
      : ipaddr.IPv4.networkAddressFromCIDR(text).toString()
  return `${first}/${length}`
}

function overlap(one: Network, other: Network): boolean {
  return contains(one, other[0]) || contains(other, one[0])
}

function contains([first, length]: Network, address: Address): boolean {
  if (first instanceof ipaddr.IPv4)
    return address instanceof ipaddr.IPv4 && address.match(first, length)
  return address instanceof ipaddr.IPv6 && address.match(first, length)
}
