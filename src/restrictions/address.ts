/** An address in groups of 16 bits: two for IPv4, eight for IPv6. */
export type Address = readonly number[]

/** A network: an address in it and the length of its prefix. */
export interface Network {
  readonly first: Address
  readonly length: number
}

/** IPv4 in four decimal parts or IPv6; an IPv4-mapped address (RFC 4291 §2.5.5.2) is the IPv4 address. */
export function addressIn(text: string): Address | null {
  const address = ipv4In(text) ?? ipv6In(text)
  return address !== null && isMapped(address) ? address.slice(6) : address
}

/** An address, `/` and a length without leading zeros. Host bits may be set. */
export function networkIn(text: string): Network | null {
  const [, address = '', digits = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? []
  const first = ipv4In(address) ?? ipv6In(address)
  const length = Number(digits)
  if (first === null || length > bitsOf(first)) return null
  return isMapped(first) && length >= 96
    ? { first: first.slice(6), length: length - 96 }
    : { first, length }
}

/** The network without host bits, IPv6 as RFC 5952 writes it. */
export function networkText({ first, length }: Network): string {
  return `${textOf(first.map((group, at) => group & maskOf(length, at)))}/${length}`
}

export function contains({ first, length }: Network, address: Address): boolean {
  return (
    first.length === address.length &&
    first.every((group, at) => ((group ^ Number(address[at])) & maskOf(length, at)) === 0)
  )
}

function bitsOf(address: Address): number {
  return address.length * 16
}

/** The bits of a group that belong to a prefix of this length. */
function maskOf(length: number, at: number): number {
  const bits = Math.min(Math.max(length - at * 16, 0), 16)
  return (0xffff << (16 - bits)) & 0xffff
}

function ipv4In(text: string): Address | null {
  const octets = text.split('.')
  if (octets.length !== 4 || !octets.every(isOctet)) return null
  const [a, b, c, d] = octets.map(Number) as [number, number, number, number]
  return [a * 256 + b, c * 256 + d]
}

function isOctet(text: string): boolean {
  return /^(0|[1-9]\d{0,2})$/.test(text) && Number(text) <= 255
}

/** Without a zone, and without the deprecated form `::192.0.2.1`, which is easily taken for a mapped address. */
function ipv6In(text: string): Address | null {
  if (!/^[\da-f:.]+$/i.test(text) || /^::\d+\./.test(text)) return null
  const written = asUrlsWriteIt(text)
  return written === null ? null : groupsIn(written)
}

/** IPv6 as the URL parser of the runtime writes it: in hexadecimal, the longest run of zeros as `::`. */
function asUrlsWriteIt(text: string): string | null {
  try {
    return new URL(`http://[${text}]`).hostname.slice(1, -1)
  } catch {
    return null
  }
}

function groupsIn(written: string): Address {
  const [before = [], after = []] = written.split('::').map((part) =>
    part
      .split(':')
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16)),
  )
  return [...before, ...Array(8 - before.length - after.length).fill(0), ...after]
}

function isMapped(address: Address): boolean {
  return (
    address.length === 8 &&
    address[5] === 0xffff &&
    address.slice(0, 5).every((group) => group === 0)
  )
}

function textOf(address: Address): string {
  if (address.length === 2) return address.map((group) => `${group >> 8}.${group & 255}`).join('.')
  return String(asUrlsWriteIt(address.map((group) => group.toString(16)).join(':')))
}
