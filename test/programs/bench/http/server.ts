import type { Server } from 'node:http'
import { memoryStorage } from 'miftah/memory'
import { MemoryFloor } from '../floors/memory-floor.ts'
import { betterAuth, httpPeers, type Peer } from '../peers.ts'
import { apiKeys, issueKeys, SCOPES, storedUses, workspaceOf } from '../sections/keys.ts'
import { type Apps, expressApps, fastifyApps } from './apps.ts'

// The servers of one framework, for the section `http` in another process: `server.ts <framework>`.
const KEYS = 1_000

/** What the load generator is told: where to find each app, and with which secrets. */
export interface Ready {
  readonly ports: Readonly<Record<string, number>>
  readonly secrets: readonly string[]
  readonly peerSecrets: readonly string[]
}

/** The processor time of this process so far. */
export interface Processor {
  readonly micros: number
}

/** The uses that miftah's storage holds. */
export interface Stored {
  readonly uses: number
}

const keys = apiKeys(memoryStorage())
const texts = await issueKeys(keys, KEYS)
const secrets = Array.from({ length: KEYS }, (_, n) => texts.get(n))
const floor = new MemoryFloor()
for (const [n, secret] of secrets.entries()) floor.add(secret, workspaceOf(n), SCOPES)
const rival = await betterAuth('map')
const guards = { keys, floor, secrets, peers: await httpPeers(), betterAuth: rival }
const apps = process.argv[2] === 'express' ? expressApps(guards) : fastifyApps(guards)

process.on('message', async (question) => {
  const { user, system } = process.cpuUsage()
  const processor: Processor = { micros: user + system }
  if (question === 'processor') return process.send?.(processor)
  const stored: Stored = { uses: await storedUses(keys, KEYS) }
  return process.send?.(stored)
})
process.on('disconnect', () => process.exit(0))
const ready: Ready = { ports: await listen(apps), secrets, peerSecrets: await secretsOf(rival) }
process.send?.(ready)

async function listen(all: Apps): Promise<Record<string, number>> {
  const ports: Record<string, number> = {}
  for (const [name, start] of Object.entries(all)) ports[name] = portOf(await start())
  return ports
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

async function secretsOf(peer: Peer): Promise<readonly string[]> {
  const made: string[] = []
  for (let n = 0; n < KEYS; n += 1) made.push(await peer.create())
  return made
}
