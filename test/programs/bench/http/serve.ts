import type { Server } from 'node:http'

/** What the load generator is told: where to find the app, and with which secrets. */
export interface Ready {
  readonly port: number
  readonly secrets: readonly string[]
}

/** The processor time of this process so far. */
export interface Processor {
  readonly micros: number
}

/** The uses that the storage of the app holds. */
export interface Stored {
  readonly uses: number
}

/** What a server process has to offer. */
export interface Service {
  /** Answers the server, or the port of one that this process has started. */
  readonly start: () => Promise<Server | number>
  readonly secrets: readonly string[]
  /** All uses that the storage holds, once those of this process have been flushed. */
  readonly uses: () => Promise<number>
  /** Microseconds of the processor so far. Default: those of this process. */
  readonly micros?: () => number
}

/** Listens, and answers the questions of the load generator until it is gone. */
export async function serve({ start, secrets, uses, micros = ownMicros }: Service): Promise<void> {
  process.on('message', async (question) => {
    const processor: Processor = { micros: micros() }
    if (question === 'processor') return process.send?.(processor)
    const stored: Stored = { uses: await uses() }
    return process.send?.(stored)
  })
  process.on('disconnect', () => process.exit(0))
  const started = await start()
  const ready: Ready = { port: typeof started === 'number' ? started : portOf(started), secrets }
  process.send?.(ready)
}

function ownMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
