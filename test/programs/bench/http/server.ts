import { memoryStorage } from 'miftah/memory'
import { MemoryFloor } from '../floors/memory-floor.ts'
import { betterAuth, httpPeers, type Peer } from '../peers.ts'
import { apiKeys, issueKeys, SCOPES, storedUses, workspaceOf } from '../sections/keys.ts'
import { expressApps, fastifyApps } from './apps.ts'
import { serve } from './serve.ts'

// One app, for the section `http` in another process: `server.ts <framework> <app>`.
const KEYS = 1_000
const [framework, name = ''] = process.argv.slice(2)

const keys = apiKeys(memoryStorage())
const secrets = (await issueKeys(keys, KEYS)).all()
const floor = new MemoryFloor()
for (const [n, secret] of secrets.entries()) floor.add(secret, workspaceOf(n), SCOPES)
const rival = await betterAuth('map')
const guards = { keys, floor, secrets, peers: await httpPeers(), betterAuth: rival }
const apps = framework === 'express' ? expressApps(guards) : fastifyApps(guards)
const start = apps[name]
if (start === undefined) throw new Error(`there is no app "${name}"`)
await serve({
  start,
  secrets: name === 'better-auth' ? await secretsOf(rival) : secrets,
  uses: () => storedUses(keys, KEYS),
})

async function secretsOf(peer: Peer): Promise<readonly string[]> {
  const made: string[] = []
  for (let n = 0; n < KEYS; n += 1) made.push(await peer.create())
  return made
}
