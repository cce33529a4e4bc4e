import { connect, type Socket } from 'node:net'

const END_OF_HEAD = '\r\n\r\n'

/**
 * A load generator as light as can be, so that the server and not the load is what is measured:
 * raw sockets kept alive, each sends the next request when it has its answer.
 */
export class Load {
  readonly #sockets: readonly Wire[]

  constructor(wires: readonly Wire[]) {
    this.#sockets = wires
  }

  static async open(port: number, target: Target): Promise<Load> {
    const { secrets, connections, requestWith = contactsWith } = target
    const requests = secrets.map((secret) => Buffer.from(requestWith(secret)))
    const wires = Array.from({ length: connections }, () => new Wire(port, requests))
    await Promise.all(wires.map((wire) => wire.connected))
    return new Load(wires)
  }

  /** Sends `count` requests; answers how long each took in milliseconds, once each has had its 2xx. */
  async send(count: number): Promise<readonly number[]> {
    let left = count
    const take = () => {
      left -= 1
      return left >= 0
    }
    let isDone = false
    // Waking a process that sleeps is work of the sender: a slower server would pay for it more often.
    const stayAwake = () => {
      if (!isDone) setImmediate(stayAwake)
    }
    stayAwake()
    const times = await Promise.all(this.#sockets.map((wire) => wire.drive(take)))
    isDone = true
    return times.flat()
  }

  close(): void {
    for (const wire of this.#sockets) wire.close()
  }
}

/** Whom to send to, with which keys, over how many connections. */
export interface Target {
  readonly secrets: readonly string[]
  readonly connections: number
  /** The whole request for a secret. Default: GET of `/contacts`. */
  readonly requestWith?: (secret: string) => string
}

/** A request as it is sent. */
export function requestText(lines: readonly string[], body = ''): string {
  return lines.join('\r\n') + END_OF_HEAD + body
}

function contactsWith(secret: string): string {
  const head = ['GET /contacts HTTP/1.1', 'Host: 127.0.0.1', 'Accept: application/json']
  return requestText([...head, `Authorization: Bearer ${secret}`])
}

/** One connection. All answers of one app have the same length, which the first one tells. */
class Wire {
  readonly connected: Promise<unknown>
  readonly #socket: Socket
  readonly #requests: readonly Buffer[]
  #received = 0
  #length = 0
  #first = Buffer.alloc(0)
  #take: () => boolean = () => false
  #sent = 0
  #times: number[] = []
  #done: (times: number[]) => void = () => {}
  #fail: (error: Error) => void = () => {}

  constructor(port: number, requests: readonly Buffer[]) {
    this.#requests = requests
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.connected = new Promise((resolve) => this.#socket.once('connect', resolve))
    this.#socket.on('data', (chunk) => this.#read(chunk))
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('the server closed a connection')))
  }

  drive(take: () => boolean): Promise<number[]> {
    this.#take = take
    this.#times = []
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) reject(new Error('the server closed an idle connection'))
      this.#done = resolve
      this.#fail = reject
      this.#next()
    })
  }

  close(): void {
    this.#fail = () => {}
    this.#socket.destroy()
  }

  #next(): void {
    if (!this.#take()) {
      this.#done(this.#times)
      return
    }
    this.#sent = performance.now()
    const request = this.#requests[Math.floor(Math.random() * this.#requests.length)]
    if (request !== undefined) this.#socket.write(request)
  }

  #read(chunk: Buffer): void {
    if (this.#received === 0 && chunk.toString('latin1', 9, 10) !== '2') {
      this.#fail(new Error(`answered: ${chunk.toString('latin1', 0, 200)}`))
      return
    }
    this.#received += chunk.length
    if (this.#length === 0) this.#measure(chunk)
    if (this.#length === 0 || this.#received < this.#length) return
    this.#received = 0
    this.#times.push(performance.now() - this.#sent)
    this.#next()
  }

  #measure(chunk: Buffer): void {
    this.#first = Buffer.concat([this.#first, chunk])
    const text = this.#first.toString('latin1')
    const head = text.indexOf(END_OF_HEAD)
    const isEmpty = text.startsWith('HTTP/1.1 204')
    const body = isEmpty ? 0 : /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
    if (head >= 0) this.#length = head + END_OF_HEAD.length + Number(body ?? Number.NaN)
  }
}
