import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type ApiKeys, createApiKeys, plans } from 'miftah'
import { postgresStorage } from 'miftah/postgres'
import { freePort, isListening } from '../../../support/free-port.ts'
import { apiKeys, RESOURCE_SERVER, storedUses } from '../sections/keys.ts'
import { Database } from '../sections/postgres-world.ts'
import { guardedFastifyApp } from './apps.ts'
import { serve } from './serve.ts'

// One server, for the section `serve`: `gateway-server.ts <url> <file of secrets> <folder> <name>`.
const [url = '', file = '', folder = '', name = ''] = process.argv.slice(2)
const all: readonly string[] = JSON.parse(readFileSync(file, 'utf8'))
const database = new Database(url)
const keys = apiKeys(postgresStorage(database.pool()))
let nginx: number | undefined

const starts: Readonly<Record<string, () => Promise<Server | number>>> = {
  nginx: startNginx,
  guard: () => guardedFastifyApp(cached()),
  serve: startServe,
}
const [kind = ''] = name.split(':')
const start = starts[kind]
if (start === undefined) throw new Error(`there is no server "${name}"`)
await serve({
  start,
  // Of workspaces whose names have one length, so that all answers have one too.
  secrets: all.slice(100),
  uses: lastUses,
  ...(kind === 'nginx' && { micros: nginxMicros }),
})

function cached(): ApiKeys {
  const storage = postgresStorage(database.pool())
  return createApiKeys({ storage, entitlements: () => plans.enterprise, cache: {} })
}

/** All uses, once a whole interval has brought no more: `serve` writes them when it wants. */
async function lastUses(): Promise<number> {
  let [before, now] = [-1, await storedUses(keys, all.length)]
  while (now !== before) {
    await wait(3_000)
    ;[before, now] = [now, await storedUses(keys, all.length)]
  }
  return now
}

/** The command itself, in this process, whose processor time is then its own. */
async function startServe(): Promise<number> {
  const port = await freePort()
  const tokens = join(folder, `tokens-${port}`)
  writeFileSync(tokens, `${RESOURCE_SERVER} *\n`)
  const config = join(folder, `config-${port}.mjs`)
  writeFileSync(
    config,
    `import { defaultCatalogue, plans } from '${import.meta.resolve('miftah')}'
export const catalogue = defaultCatalogue
export const resources = null
export const entitlements = () => plans.enterprise
export const proxy = 'nginx'
export const requirement = (_method, path) => (path === '/contacts' ? 'contacts.read' : undefined)
export const tokenFile = ${JSON.stringify(tokens)}
export const listen = '127.0.0.1:${port}'
// A connection is opened before the first request of its load is due.
export const requestTimeoutMs = 600_000
`,
  )
  const cli = fileURLToPath(new URL('../../../../dist/cli.js', import.meta.url))
  process.argv.splice(1, Infinity, cli, 'serve', '--config', config, '--database', url)
  // It resolves when the command ends.
  void import(pathToFileURL(cli).href)
  return listening(port)
}

async function startNginx(): Promise<number> {
  const port = await freePort()
  const config = join(folder, 'nginx.conf')
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/errors;
events { worker_connections 256; }
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 1h;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:${port}; location / { return 204; } }
}
`,
  )
  const child = spawn('nginx', ['-c', config, '-e', join(folder, 'errors')], { stdio: 'ignore' })
  process.once('exit', () => child.kill())
  nginx = child.pid
  return listening(port)
}

/** Ten milliseconds exact: what the kernel tells of another process. */
function nginxMicros(): number {
  const fields = readFileSync(`/proc/${nginx}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

async function listening(port: number): Promise<number> {
  while (!(await isListening(port))) await wait(50)
  return port
}
