import type { KeyNetworks } from '../model/key.ts'
import { addressIn, contains, type Network, networkIn, networkText } from './address.ts'

/** What is wrong with a network. */
export type NetworkProblem =
  | { readonly code: 'invalid_value' }
  | { readonly code: 'not_canonical'; readonly meant: string }
  | { readonly code: 'private_network' }

/**
 * Addresses that do not identify a host on the Internet: this host, private use, shared address space,
 * loopback and link-local (RFC 6890 §2.2).
 */
const PRIVATE: readonly Network[] = [
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
].map(knownNetwork)

/** What is wrong with a text as a network of a key, or `null`. */
export function networkProblem(text: string, allowsPrivate: boolean): NetworkProblem | null {
  const network = networkIn(text)
  if (network === null || network.length === 0) return { code: 'invalid_value' }
  const meant = networkText(network)
  if (meant !== text) return { code: 'not_canonical', meant }
  if (!allowsPrivate && PRIVATE.some((range) => overlap(range, network))) {
    return { code: 'private_network' }
  }
  return null
}

/** Whether an address is in one of these networks. What is not one address without port or zone is not. */
export function isInNetworks(networks: readonly string[], address: string): boolean {
  const known = addressIn(address)
  return known !== null && networksOf(networks).some((network) => contains(network, known))
}

/** Whether every address of the first is one of the second. */
export function areWithin(networks: KeyNetworks, bounds: KeyNetworks): boolean {
  if (bounds === 'any') return true
  if (networks === 'any') return false
  const allowed = networksOf(bounds)
  return networksOf(networks).every(({ first, length }) =>
    allowed.some((bound) => bound.length <= length && contains(bound, first)),
  )
}

/** The lists of networks of cached keys, read once: reading 20 takes 20 times as long as matching them. */
const known = new WeakMap<readonly string[], readonly Network[]>()

function networksOf(networks: readonly string[]): readonly Network[] {
  const read = known.get(networks)
  if (read !== undefined) return read
  const parsed = networks.map(knownNetwork)
  if (Object.isFrozen(networks)) known.set(networks, parsed)
  return parsed
}

/** A network that was checked before it was stored. */
function knownNetwork(text: string): Network {
  const network = networkIn(text)
  if (network === null) throw new TypeError('A stored network cannot be read.')
  return network
}

function overlap(one: Network, other: Network): boolean {
  return contains(one, other.first) || contains(other, one.first)
}
