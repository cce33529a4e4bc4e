import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, createServer } from 'node:net'

/**
 * A port of the loopback interface for a program that cannot choose one and say which. Two callers
 * never get the same, also in two processes: each holds the UDP port of the same number until its
 * process ends. It is below those that a system assigns by itself, so that a server which is stopped
 * for a while finds it free again.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(10_000, 30_000)
    if ((await isHeld(port)) && (await isFree(port))) return port
  }
  throw new Error('no free port')
}

/** Whether this process now holds the UDP port, which nobody did before. */
function isHeld(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const holder = createSocket('udp4').unref()
    holder.once('error', () => resolve(false))
    holder.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

/** Whether a program listens on a port of the loopback interface. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const client = connect(port, '127.0.0.1')
    client.once('connect', () => {
      client.destroy()
      resolve(true)
    })
    client.once('error', () => resolve(false))
  })
}
