import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * What the proxy does: pass bytes on, accept connections and bytes and pass nothing on to either side, or end every
 * connection as soon as it is made.
 */
type ProxyMode = 'pass' | 'black_hole' | 'refuse'

/** Where a connection is cut: before the server got the statement, or after it has carried it out. */
export type Cut = 'before_it_is_sent' | 'before_the_answer'

/** A TCP proxy in this process, for faults between a client and its server. */
export interface TcpProxy {
  readonly port: number
  readonly use: (mode: ProxyMode) => void
  /** Leads the connections that are made from now on to another port of the host. */
  readonly lead: (port: number) => void
  /** Ends all connections. */
  readonly cutAll: () => void
  /** Ends the connection of the next statement that contains `text`; resolves when it is done. */
  readonly cutNext: (text: string, cut: Cut) => Promise<void>
  readonly close: () => Promise<void>
}

/** `ReadyForQuery`, idle: PostgreSQL says it when the transaction has been committed. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

interface Trap {
  readonly text: string
  readonly cut: Cut
  readonly done: () => void
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  /** Set while the answer to a trapped statement is awaited. */
  trap: Trap | null
  /** The last bytes from the server: `READY` may come in two pieces. */
  tail: Buffer
}

/** Opens a proxy on a free port of the loopback interface, in front of `port`. `isAnswered` knows the end of an answer. */
export async function openTcpProxy(
  host: string,
  port: number,
  isAnswered: (bytes: Buffer) => boolean = (bytes) => bytes.includes(READY),
): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  let mode: ProxyMode = 'pass'
  let trap: Trap | null = null
  let target = port

  const fromClient = (pair: Pair, bytes: Buffer) => {
    if (mode === 'black_hole') return
    if (trap && bytes.includes(trap.text)) {
      pair.trap = trap
      trap = null
      if (pair.trap.cut === 'before_it_is_sent') return end(pair)
    }
    pair.server.write(bytes)
  }
  const fromServer = (pair: Pair, bytes: Buffer) => {
    if (mode === 'black_hole') return
    if (pair.trap) {
      const seen = Buffer.concat([pair.tail, bytes])
      if (isAnswered(seen)) end(pair)
      pair.tail = seen.subarray(-READY.length)
      return
    }
    pair.client.write(bytes)
  }
  const listener = createServer((client) => {
    const server = connect(target, host)
    const pair: Pair = { client, server, trap: null, tail: Buffer.alloc(0) }
    pairs.add(pair)
    client.on('data', (bytes: Buffer) => fromClient(pair, bytes))
    pair.server.on('data', (bytes: Buffer) => fromServer(pair, bytes))
    for (const socket of [client, pair.server]) {
      socket.setNoDelay(true)
      // A broken connection is what this proxy is for.
      socket.on('error', () => undefined)
      socket.on('close', () => {
        end(pair)
        pairs.delete(pair)
      })
    }
    if (mode === 'refuse') end(pair)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const cutAll = () => {
    for (const pair of pairs) end(pair)
  }
  return {
    port: (listener.address() as AddressInfo).port,
    cutAll,
    lead: (next) => {
      target = next
    },
    use: (next) => {
      mode = next
      if (next === 'refuse') cutAll()
    },
    cutNext: (text, cut) =>
      new Promise((done) => {
        trap = { text, cut, done }
      }),
    close: async () => {
      cutAll()
      listener.close()
      await once(listener, 'close')
    },
  }
}

function end(pair: Pair): void {
  pair.client.destroy()
  pair.server.destroy()
  pair.trap?.done()
}
