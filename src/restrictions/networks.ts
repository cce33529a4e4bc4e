import { rememberedFor } from '../lib/remembered.ts'
import type { InputIssue } from '../model/errors.ts'
import type { KeyNetworks } from '../model/key.ts'

/** An address, or the prefix of a network: 4 or 6 for its version, and its bits as 0 and 1. */
type Bits = string

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
export function networkProblem(
  text: string,
  allowsPrivate: boolean,
): Pick<InputIssue, 'code' | 'message'> | null {
  const network = prefixIn(text)
  if (network === null || network.length === 1) {
    const message = 'must be an IPv4 or IPv6 network such as 198.51.100.0/24.'
    return { code: 'invalid_value', message }
  }
  const meant = canonical(network)
  if (meant !== text) return { code: 'not_canonical', message: `must be written ${meant}.` }
  const overlaps = (range: Bits) => range.startsWith(network) || network.startsWith(range)
  const isRefused = !allowsPrivate && [...networksOf(PRIVATE).prefixes].some(overlaps)
  return isRefused ? { code: 'invalid_value', message: 'must not be in a private network.' } : null
}

/** Whether an address is in one of these networks; `null` for a text that is not one address without a zone. */
export function isInNetworks(networks: readonly string[], address: string): boolean | null {
  const known = addressIn(address)
  return known === null ? null : isWithin(known, networksOf(networks))
}

/** Whether every address of the first is one of the second. */
export function areWithin(networks: KeyNetworks, bounds: KeyNetworks): boolean {
  if (bounds === 'any') return true
  if (networks === 'any') return false
  const allowed = networksOf(bounds)
  return [...networksOf(networks).prefixes].every((network) => isWithin(network, allowed))
}

/** Networks with their lengths, of which there are few: one look for each finds any number of networks. */
interface Networks {
  readonly prefixes: ReadonlySet<Bits>
  readonly lengths: ReadonlySet<number>
}

function isWithin(bits: Bits, { prefixes, lengths }: Networks): boolean {
  for (const length of lengths) if (prefixes.has(bits.slice(0, length))) return true
  return false
}

/**
 * Reading networks takes longer than matching them. The private ones are not read at import: that took a sixth
 * of what the core runs then.
 */
const networksOf = rememberedFor((networks: readonly string[]): Networks => {
  const parsed = networks.map(prefixIn)
  if (!parsed.every((network) => network !== null)) throw new TypeError('A network is invalid.')
  return { prefixes: new Set(parsed), lengths: new Set(parsed.map(({ length }) => length)) }
})

/** Addresses that were read, since callers come back: reading one takes longer than matching 20 networks. */
const addresses = new Map<string, Bits | null>()
const MOST_ADDRESSES = 1_000

/** No address is longer, in brackets and with a port. */
const LONGEST = 53

/** What some proxies make of an address: with the port (RFC 3986 §3.2), IPv6 in brackets. */
const WITH_PORT = /^(?:([\d.]+)(?::\d{1,5})|\[([\da-f:.]+)\](?::\d{1,5})?)$/i

function addressIn(text: string): Bits | null {
  if (text.length > LONGEST) return null
  const read = addresses.get(text)
  if (read !== undefined) return read
  const [, four, six] = WITH_PORT.exec(text) ?? []
  const bits = bitsIn(four ?? six ?? text)
  const address = bits === null ? null : unmapped(bits)
  if (addresses.size >= MOST_ADDRESSES) addresses.clear()
  addresses.set(text, address)
  return address
}

/** IPv4 in four decimal parts, or IPv6 without a zone. */
function bitsIn(text: string): Bits | null {
  if (/^\d+(?:\.\d+){3}$/.test(text))
    return hostIn(text) === text ? `4${binary(text, 10, 8)}` : null
  // The compatible form, `::192.0.2.1`, could be another host.
  if (!/^[\da-f:.]+$/i.test(text) || /^::\d+\./.test(text)) return null
  const host = hostIn(`[${text}]`)
  if (host === '') return null
  const [before = '', after = ''] = host.split('::').map((groups) => binary(groups, 16, 16))
  return `6${before.padEnd(128 - after.length, '0')}${after}`
}

/** A host as the runtime writes it (WHATWG URL §3.5), IPv6 as RFC 5952 does; empty if it is not a host. */
function hostIn(text: string): string {
  try {
    return new URL(`http://${text}`).hostname.replaceAll(/[[\]]/g, '')
  } catch {
    return ''
  }
}

function binary(numbers: string, radix: number, size: number): Bits {
  return numbers.replaceAll(/[\da-f]+[.:]?/g, (number) =>
    Number.parseInt(number, radix).toString(2).padStart(size, '0'),
  )
}

/** An IPv4-mapped address (RFC 4291 §2.5.5.2) is the IPv4 address, and so is its network. */
function unmapped(bits: Bits): Bits {
  return bits.replace(/^60{80}1{16}/, '4')
}

function prefixIn(text: string): Bits | null {
  const [, address = '', digits = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? []
  const bits = bitsIn(address)
  const end = 1 + Number(digits)
  return bits === null || end > bits.length ? null : unmapped(bits.slice(0, end))
}

/** The network in the form in which it is stored: without host bits, IPv6 as RFC 5952 writes it. */
function canonical(prefix: Bits): string {
  const bits = prefix.slice(1)
  const groups = bits.padEnd(128, '0').replaceAll(/.{16}/g, (group) => `:${hex(group)}`)
  const host = prefix.startsWith('4') ? `0x${hex(bits.padEnd(32, '0'))}` : `[${groups.slice(1)}]`
  return `${hostIn(host)}/${bits.length}`
}

function hex(bits: Bits): string {
  return Number.parseInt(bits, 2).toString(16)
}
