import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { HOSTS, openHost, type Request, ROWS } from '../support/http/every-host.ts'
import { RawClient } from '../support/http/raw-client.ts'

/*
 * `npm run hostile` sends the refused requests of test/http/hosts.txt to every host, pipelined on connections that
 * are kept alive, and some more; `-- 600` does so for ten minutes. It fails for any other answer than the expected
 * refusal, for an error that nobody handles, and where memory grows by a fifth once a host is warm.
 */

const SECONDS = Number(process.argv[2] ?? 60)
const PIPELINED = 8
const wrong: string[] = []
for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  process.on(event, (error) => wrong.push(`${event}: ${String(error)}`))
}
console.error = () => {}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/** What is in use. The requests and signals of fetch are let go in turns, with a collection between them. */
const heap = async () => {
  for (const ms of [500, 500, 500]) await new Promise((done) => setTimeout(done, ms)).then(collect)
  return process.memoryUsage().heapUsed
}
interface Hostile {
  readonly request: Request
  readonly statuses: readonly number[]
  /** Whether a parser of the host refuses it and leaves the rest of the body, so that nothing can follow. */
  readonly isLast?: boolean
}

const [KEYS, CHUNKED] = ['/api/settings/keys', 'Transfer-Encoding: chunked']
const [SESSION, JSON_TYPE] = ['Cookie: session=noura', 'Content-Type: application/json']

/** What a server refuses before miftah sees it, or miftah whatever the server makes of it. */
const MORE: readonly Hostile[] = [
  { request: ['GET', KEYS, [`X: ${'a'.repeat(20_000)}`]], statuses: [431] },
  { request: ['GET', `${KEYS}?${'a'.repeat(20_000)}`, [SESSION]], statuses: [431] },
  { request: ['GE T', KEYS, [SESSION]], statuses: [400] },
  { request: ['GET', KEYS, ['X Y: 1', SESSION]], statuses: [400] },
  { request: ['GET', KEYS, ['X: a\x00b', SESSION]], statuses: [400] },
  { request: ['POST', KEYS, [SESSION, JSON_TYPE, 'Content-Length: -1']], statuses: [400] },
  { request: ['POST', KEYS, [SESSION, JSON_TYPE, CHUNKED, 'Content-Length: 2']], statuses: [400] },
  { request: ['POST', KEYS, [SESSION, JSON_TYPE, 'Transfer-Encoding: x']], statuses: [400, 501] },
  {
    request: ['POST', KEYS, [SESSION, JSON_TYPE, 'Content-Length: 99999999']],
    statuses: [400, 413],
  },
  { request: ['POST', '/revoke', [JSON_TYPE, 'Content-Length: 99999999']], statuses: [400, 413] },
]

/** The rows that refuse whatever came before them. */
function refusalsOf(name: string): readonly Hostile[] {
  return ROWS.flatMap(({ request, expected }) => {
    const answer = expected(name)
    const status = Number(answer.slice(0, 3))
    const stands = status >= 400 && !/\{(?:id|secret)\}/.test(JSON.stringify(request))
    return stands ? [{ request, statuses: [status], isLast: answer.endsWith('framework') }] : []
  })
}

function judge(host: string, { request, statuses }: Hostile, status: number): void {
  if (!statuses.includes(status)) wrong.push(`${host}: ${status} for ${JSON.stringify(request)}`)
}

/** One round of pipelined requests. Where the server closes, the rest goes on a new connection. */
async function pipeline(host: string, port: number, rows: readonly Hostile[], textOf: TextOf) {
  let rest = rows
  while (rest.length > 0) {
    const client = await RawClient.open(port)
    client.write(rest.map(({ request }) => textOf(request)).join(''))
    // A connection that says nothing for so long hangs.
    const hanging = setTimeout(() => client.destroy(), 20_000)
    let answered = 0
    for (const row of rest) {
      const bodiless = row.request[0] === 'HEAD'
      const response = await client.read({ bodiless }).catch(() => null)
      if (response === null) break
      answered += 1
      judge(host, row, response.status)
      if (row.isLast) break
    }
    clearTimeout(hanging)
    client.destroy()
    if (answered === 0) wrong.push(`${host}: no answer to ${JSON.stringify(rest[0]?.request)}`)
    rest = rest.slice(Math.max(answered, 1))
  }
}

type TextOf = Awaited<ReturnType<typeof openHost>>['textOf']

const SPAN_MS = (SECONDS * 1_000) / Object.keys(HOSTS).length
let sent = 0
for (const [name, serve] of Object.entries(HOSTS)) {
  const { host, textOf } = await openHost(serve)
  const rows = refusalsOf(name)
  // There a parser waits for the whole body.
  const more = /parsed|module on express/.test(name) ? MORE.slice(0, -2) : MORE
  const startMs = Date.now()
  let before = 0
  let rounds = 0
  do {
    for (let at = 0; at < rows.length; at += PIPELINED) {
      await pipeline(name, host.port, rows.slice(at, at + PIPELINED), textOf)
    }
    for (const row of more) await pipeline(name, host.port, [row], textOf)
    sent += rows.length + more.length
    rounds += 1
    if (before === 0 && Date.now() - startMs > SPAN_MS / 3) before = await heap()
  } while (rounds < 4 || Date.now() - startMs < SPAN_MS)
  const after = await heap()
  if (after > before * 1.2) wrong.push(`${name}: ${before} bytes have become ${after}`)
  console.log(`${name}: ${rounds} rounds, ${rows.length + more.length} requests each`)
  host.close().catch(() => {})
}
for (const line of new Set(wrong)) console.log(line.slice(0, 300))
console.log(`${sent} requests, ${wrong.length} unexpected`)
process.exit(wrong.length === 0 ? 0 : 1)
