import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { AppKind, Started } from './http-app.ts'
import { type Bench, figure, Measurement, quantile, type Table } from './measure.ts'

const APP = fileURLToPath(new URL('http-app.ts', import.meta.url))
const CONNECTIONS = 64
const FRAMEWORKS = [
  ['express', 'Express 5'],
  ['fastify', 'Fastify 5'],
] as const
const GUARDS = ['bare', 'by hand', 'miftah', 'better-auth'] as const

/** Requests a second with each guard, every app in a process of its own, loaded by autocannon. */
export async function section({ short, log }: Bench): Promise<readonly Table[]> {
  const tables = []
  for (const [framework, title] of FRAMEWORKS) {
    log(title)
    const apps = await Promise.all(GUARDS.map((guard) => startApp({ framework, guard })))
    // The first round warms up.
    for (let round = -1; round < (short ? 3 : 21); round += 1) {
      for (const app of apps) await app.slice(short ? 1 : 3, round >= 0)
    }
    for (const app of apps) app.stop()
    const found = new Measurement(new Map(apps.map(({ name, nanos }) => [name, nanos])))
    tables.push({
      title: `${title}, 1,000 keys in memory, ${CONNECTIONS} connections`,
      head: ['guard', 'requests a second', 'times by hand', 'server µs a request'],
      rows: apps.map(({ name, micros }) => [
        name,
        figure(found.rate(name)),
        figure(found.ratio('by hand', name)),
        figure(quantile(micros, 0.5)),
      ]),
    })
  }
  return tables
}

async function startApp(kind: AppKind) {
  const child = fork(APP, [JSON.stringify(kind)])
  const [{ port, secrets }] = (await once(child, 'message')) as [Started]
  const processorMicros = async () => {
    child.send('usage')
    const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage]
    return user + system
  }
  // Processor time of the server and time that has passed, for one request of each slice.
  const micros: number[] = []
  const nanos: number[] = []
  return {
    ...{ name: kind.guard, micros, nanos, stop: () => child.kill() },
    async slice(seconds: number, isKept: boolean) {
      const before = await processorMicros()
      const { answered, duration } = await load(port, secrets, seconds)
      if (!isKept) return
      micros.push(((await processorMicros()) - before) / answered)
      nanos.push((duration * 1e9) / answered)
    },
  }
}

/** Each connection is that of a key. Throws when a request is refused. */
async function load(port: number, secrets: readonly string[], seconds: number) {
  // Installed beside the peers, so that the compiler and the linters see a whole program without it.
  const cannon = new URL('peers/node_modules/autocannon/autocannon.js', import.meta.url).href
  const { default: autocannon } = await import(cannon)
  let next = 0
  const result = await autocannon({
    ...{ url: `http://127.0.0.1:${port}/contacts`, connections: CONNECTIONS, duration: seconds },
    setupClient: (client: { setHeaders(headers: object): void }) => {
      client.setHeaders({ authorization: `Bearer ${secrets[next++ % secrets.length]}` })
    },
  })
  if (result.non2xx + result.errors > 0) throw new Error(`refused: ${JSON.stringify(result)}`)
  return { answered: Number(result['2xx']), duration: Number(result.duration) }
}
