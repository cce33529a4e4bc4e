import type { Server } from 'node:http'
import type { Apps } from './apps.ts'

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

/** What a server process has to offer. */
export interface Service {
  readonly apps: Apps
  readonly secrets: readonly string[]
  readonly peerSecrets?: readonly string[]
  /** All uses that the contender `miftah` has stored. */
  readonly uses: () => Promise<number>
}

/** Listens, and answers the questions of the load generator until it is gone. */
export async function serve({ apps, secrets, peerSecrets = [], uses }: Service): Promise<void> {
  process.on('message', async (question) => {
    const { user, system } = process.cpuUsage()
    const processor: Processor = { micros: user + system }
    if (question === 'processor') return process.send?.(processor)
    const stored: Stored = { uses: await uses() }
    return process.send?.(stored)
  })
  process.on('disconnect', () => process.exit(0))
  const ready: Ready = { ports: await listen(apps), secrets, peerSecrets }
  process.send?.(ready)
}

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
