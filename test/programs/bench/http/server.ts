import { memoryStorage } from 'miftah/memory'
import { MemoryFloor } from '../floors/memory-floor.ts'
import { betterAuth, httpPeers, type Peer } from '../peers.ts'
import { apiKeys, issueKeys, SCOPES, storedUses, workspaceOf } from '../sections/keys.ts'
import { expressApps, fastifyApps } from './apps.ts'
import { serve } from './serve.ts'

// The servers of one framework, for the section `http` in another process: `server.ts <framework>`.
const KEYS = 1_000

const keys = apiKeys(memoryStorage())
const secrets = (await issueKeys(keys, KEYS)).all()
const floor = new MemoryFloor()
for (const [n, secret] of secrets.entries()) floor.add(secret, workspaceOf(n), SCOPES)
const rival = await betterAuth('map')
const guards = { keys, floor, secrets, peers: await httpPeers(), betterAuth: rival }
await serve({
  apps: process.argv[2] === 'express' ? expressApps(guards) : fastifyApps(guards),
  secrets,
  peerSecrets: await secretsOf(rival),
  uses: () => storedUses(keys, KEYS),
})

async function secretsOf(peer: Peer): Promise<readonly string[]> {
  const made: string[] = []
  for (let n = 0; n < KEYS; n += 1) made.push(await peer.create())
  return made
}
