import { connect, type Socket } from 'node:net'

/** One HTTP/1.x response as it came over the wire. */
export interface RawResponse {
  readonly status: number
  /** Lower-case name and value of every header line, in order. */
  readonly lines: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** All values of one header. */
export function headerOf(response: RawResponse, name: string): string[] {
  return response.lines.filter(([line]) => line === name).map(([, value]) => value)
}

/** A TCP connection on which a test writes whatever bytes it likes. */
export class RawClient {
  readonly #socket: Socket
  #received = Buffer.alloc(0)
  #wake: () => void = () => {}
  #closed = false

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#wake()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#closed = true
      this.#wake()
    })
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect(port, '127.0.0.1')
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    return new RawClient(socket)
  }

  /** Writes text as Latin-1, so that every byte can be written. */
  write(text: string): void {
    this.#socket.write(Buffer.from(text, 'latin1'))
  }

  /** The next response on the connection. `bodiless` for the answer to HEAD. */
  async read({ bodiless = false } = {}): Promise<RawResponse> {
    for (;;) {
      const parsed = parseResponse(this.#received, bodiless, this.#closed)
      if (parsed !== null) {
        this.#received = this.#received.subarray(parsed.length)
        return parsed.response
      }
      if (this.#closed) throw new Error(`closed after: ${this.#received.toString('latin1')}`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Resolves once the other end has closed the connection. */
  async closed(): Promise<void> {
    if (this.#closed) return
    await new Promise<void>((resolve) => {
      this.#socket.once('close', () => resolve())
    })
  }

  destroy(): void {
    this.#socket.destroy()
  }
}

/** Sends one request on a connection of its own and reads one response. */
export async function exchange(port: number, text: string): Promise<RawResponse> {
  const client = await RawClient.open(port)
  try {
    client.write(text)
    return await client.read({ bodiless: text.startsWith('HEAD ') })
  } finally {
    client.destroy()
  }
}

function parseResponse(bytes: Buffer, bodiless: boolean, closed: boolean) {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const [statusLine = '', ...headerLines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const lines = headerLines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  const rest = bytes.subarray(headEnd + 4)
  const body = bodiless || status === 204 ? { text: '', length: 0 } : readBody(rest, lines, closed)
  if (body === null) return null
  return { response: { status, lines, body: body.text }, length: headEnd + 4 + body.length }
}

function readBody(bytes: Buffer, lines: RawResponse['lines'], closed: boolean) {
  const header = (name: string) => lines.find(([line]) => line === name)?.[1]
  if (header('transfer-encoding') === 'chunked') return readChunks(bytes)
  const stated = header('content-length')
  const length = stated === undefined ? (closed ? bytes.length : Infinity) : Number(stated)
  return bytes.length < length ? null : { text: bytes.toString('utf8', 0, length), length }
}

function readChunks(bytes: Buffer) {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return null
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const start = lineEnd + 2
    if (bytes.length < start + size + 2) return null
    if (size === 0) return { text: Buffer.concat(parts).toString('utf8'), length: start + 2 }
    parts.push(bytes.subarray(start, start + size))
    at = start + size + 2
  }
}
