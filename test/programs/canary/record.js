import crypto from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { ServerResponse } from 'node:http'
import { Http2ServerResponse } from 'node:http2'
import { syncBuiltinESMExports } from 'node:module'

/*
 * Loaded first by every process of `npm run canary`: writes down each secret that the process hashes,
 * each answer that it gives over HTTP, and all that it prints. It changes nothing of what happens.
 */

const folder = process.env['MIFTAH_CANARY']
const { hash } = crypto

if (folder) {
  recordHashed()
  recordAnswers()
  recordResponses()
  recordPrinted('stdout')
  recordPrinted('stderr')
}

function keep(kind, text) {
  appendFileSync(`${folder}/${kind}-${process.pid}`, text)
}

/** Every secret is hashed where it is issued, and by the runtime's own function on Node. */
function recordHashed() {
  const seen = new Set()
  crypto.hash = (algorithm, text, ...rest) => {
    const isNew = typeof text === 'string' && /_[0-9A-Za-z]{46}$/.test(text) && !seen.has(text)
    if (isNew) keep('secrets', `${text}\n`)
    if (isNew) seen.add(text)
    return hash(algorithm, text, ...rest)
  }
  syncBuiltinESMExports()
}

const answered = new Set()

function keepAnswer(answer) {
  const line = JSON.stringify(answer)
  const key = hash('sha1', line)
  if (!answered.has(key)) keep('answers', `${line}\n`)
  answered.add(key)
}

/** What Node's servers send: of HTTP/1.1 the very bytes of its head. */
function recordAnswers() {
  recordAnswersOf(ServerResponse, (response) => String(response._header ?? ''))
  // Its `end` writes by `write`, so that nothing is to be added there.
  recordAnswersOf(Http2ServerResponse, (response) => lines(response.getHeaders()), {
    endWrites: true,
  })
}

function recordAnswersOf({ prototype }, headOf, { endWrites = false } = {}) {
  const { write, end } = prototype
  const sent = new WeakMap()
  const add = (response, chunk, encoding) => {
    const chunks = sent.get(response) ?? []
    sent.set(response, chunks)
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, encodingOf(encoding)))
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
    return chunks
  }
  prototype.write = function (chunk, encoding, done) {
    add(this, chunk, encoding)
    return write.call(this, chunk, encoding, done)
  }
  prototype.end = function (chunk, encoding, done) {
    const result = end.call(this, chunk, encoding, done)
    const chunks = add(this, endWrites ? null : chunk, encoding)
    const head = headOf(this).replace(/^Date: .*\r?\n/im, '')
    keepAnswer({ status: this.statusCode, head, body: Buffer.concat(chunks).toString() })
    return result
  }
}

const lines = (headers) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')

const encodingOf = (given) => (typeof given === 'string' ? given : 'utf8')

/** What handlers of `Request → Response` give back, where no server is in between. */
function recordResponses() {
  const { Response } = globalThis
  const note = (body, { status = 200, headers } = {}) => {
    const text = body instanceof Uint8Array ? Buffer.from(body).toString() : body
    const head = [...new Headers(headers)].map((line) => line.join(': ')).join('\n')
    if (typeof text === 'string') keepAnswer({ status, head, body: text })
  }
  const json = (data, init) => {
    note(JSON.stringify(data), init)
    return Response.json(data, init)
  }
  globalThis.Response = new Proxy(Response, {
    construct(target, [body, init], newTarget) {
      note(body, init ?? undefined)
      return Reflect.construct(target, [body, init], newTarget)
    },
    get: (target, name) => (name === 'json' ? json : Reflect.get(target, name)),
  })
}

/** What the command line prints is kept apart: a new secret may stand there, alone on a line. */
const PRINTED =
  process.env['MIFTAH_CANARY_PRINTS'] ??
  (process.argv[1]?.endsWith('/dist/cli.js') ? 'command' : 'output')

function recordPrinted(name) {
  const stream = process[name]
  const write = stream.write.bind(stream)
  stream.write = (chunk, ...rest) => {
    keep(PRINTED, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('latin1'))
    return write(chunk, ...rest)
  }
}
