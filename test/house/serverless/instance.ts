import { writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/*
 * One instance of a function, as a process: it answers the events that it is given one after the
 * other, finishes what it was asked to wait for, and is killed.
 */

/** What a module of the guide exports. */
interface Exported {
  readonly handler: (event: unknown, context: object) => Promise<Answer>
  readonly GET: (request: Request) => Promise<Response>
  readonly default: {
    readonly fetch: (request: Request, env: object, context: object) => Promise<Response>
  }
}

interface Answer {
  readonly statusCode: number
  readonly body: string
}

const waiting: Promise<unknown>[] = []
let done = 0
const waitUntil = (work: Promise<unknown>) => {
  const finished = work.then(() => {
    done += 1
  })
  waiting.push(finished)
}
// Where @vercel/functions finds the platform.
Reflect.set(globalThis, Symbol.for('@vercel/request-context'), { get: () => ({ waitUntil }) })

const requestOf = ({ url, headers }: { url: string; headers: Record<string, string> }) =>
  new Request(url, { headers })

/** How each platform calls its function. */
const CALLS = {
  lambda: ({ handler }: Exported, event: unknown) => handler(event, { awsRequestId: 'r_1' }),
  web: async ({ GET }: Exported, event: never) => answerOf(await GET(requestOf(event))),
  worker: async ({ default: worker }: Exported, event: never) =>
    answerOf(await worker.fetch(requestOf(event), {}, { waitUntil })),
}

async function answerOf(response: Response): Promise<Answer> {
  return { statusCode: response.status, body: await response.text() }
}

const [, , file = '', platform = '', events = ''] = process.argv
const exported: Exported = await import(pathToFileURL(file).href)
for (const event of JSON.parse(events)) {
  const call = CALLS[platform as keyof typeof CALLS]
  const { statusCode, body } = await call(exported, event as never)
  const writing = waiting.length - done
  writeSync(1, `${JSON.stringify({ statusCode, body: JSON.parse(body), writing })}\n`)
  await Promise.all(waiting)
}
process.kill(process.pid, 'SIGKILL')
