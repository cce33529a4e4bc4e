import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { forwardAuth } from '../../../adapters/http/express.ts'
import { isAvailable } from '../../support/available.ts'
import { freePort, isListening } from '../../support/free-port.ts'
import { listen, type RunningHost } from '../../support/http/guard-hosts.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import { exchange, headerOf, RawClient } from '../../support/http/raw-client.ts'
import { callsAnHour } from '../../support/memory-limiter.ts'
import { keyInput } from '../../support/world.ts'

/*
 * The configurations of docs/gateways.md and docs/gateways, as they stand but for the ports and folders, with the real
 * proxies. They run where the proxies are installed (apt-get install nginx caddy haproxy).
 */

const inGuide = /^```nginx\n([\s\S]*?)^```/m
const configurationIn = (file: string) =>
  file === 'gateways.md'
    ? (inGuide.exec(readFileSync('docs/gateways.md', 'utf8'))?.[1] ?? '')
    : readFileSync(`docs/gateways/${file}`, 'utf8')

const IDENTITY = ['X-Api-Key-Id', 'X-Workspace-Id', 'X-Api-Key-Scopes'] as const

interface Proxy {
  readonly name: 'nginx' | 'caddy' | 'haproxy'
  /** Where its configuration is. */
  readonly file: string
  /** What a client gets while miftah is down, and while it hangs. */
  readonly down: number
  readonly hung: number
  /** Whether the proxy passes on the body of a refusal. */
  readonly passesBodies: boolean
  readonly command: (folder: string) => string
  readonly config: (folder: string, block: string) => string
}

const PROXIES: readonly Proxy[] = [
  {
    name: 'nginx',
    file: 'gateways.md',
    down: 503,
    hung: 503,
    passesBodies: false,
    command: (folder) =>
      `nginx -p ${folder} -c ${join(folder, 'config')} -e ${join(folder, 'errors')}`,
    config: (folder, block) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
        .join('\n')
      return `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/errors;
events { worker_connections 256; }
http { access_log off; client_max_body_size 20m; ${temporary}
${block} }`
    },
  },
  {
    name: 'caddy',
    file: 'Caddyfile',
    down: 502,
    hung: 504,
    passesBodies: true,
    command: (folder) => `caddy run --adapter caddyfile --config ${join(folder, 'config')}`,
    config: (_folder, block) => block,
  },
  {
    name: 'haproxy',
    file: 'haproxy.cfg',
    down: 503,
    hung: 503,
    passesBodies: false,
    command: (folder) => `haproxy -db -f ${join(folder, 'config')}`,
    config: (folder, block) => block.replace('/etc/haproxy/miftah.lua', join(folder, 'lua')),
  },
]

const isInstalled = (name: string) =>
  isAvailable(
    name,
    spawnSync(name, [name === 'caddy' ? 'version' : '-v']).error === undefined,
    `apt-get install ${name}`,
  )

/** What reached the service behind the proxy. */
interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: number
}

/** Headers that a proxy sets; a client may name them hop-by-hop or send them itself. */
const HOP_BY_HOP =
  'Connection: X-Forwarded-Method, X-Forwarded-Uri, X-Original-Method, X-Original-URI, X-Forwarded-For'
const FORGED = [
  'X-Forwarded-Method: OPTIONS',
  'X-Forwarded-Uri: /contacts',
  'X-Original-Method: GET',
  'X-Original-URI: /contacts',
  'Access-Control-Request-Method: GET',
]
const TWICE = ['X-Forwarded-Method: GET', 'X-Forwarded-Method: OPTIONS', ...FORGED]
const FROM_ELSEWHERE = 'X-Forwarded-For: 198.51.100.1'
const ODD_PATHS = [
  ...['/contacts/../admin', '/admin/..%2fcontacts', '/%2e%2e%2fcontacts', '//contacts'],
  ...['/contacts;a=b', '/contacts%5c..', '/contacts%00', '/contacts%252e'],
]

type Row = readonly [line: string, sent: readonly string[], status: number, challenge: string]

/** Requests with header lines, or with the keys of these names, and what a client gets. */
const REQUESTS: readonly Row[] = [
  ['GET /contacts', [], 401, 'Bearer realm="api"'],
  ['GET /contacts', ['Authorization: Bearer x'], 401, 'invalid_token'],
  ['GET /contacts', ['revoked'], 401, 'invalid_token'],
  ['POST /contacts', ['reader'], 403, 'insufficient_scope'],
  ['GET /admin', ['reader'], 403, ''],
  ['OPTIONS /contacts', [], 401, 'Bearer realm="api"'],
  ['GET /contacts', ['reader', 'revoked'], 400, ''],
  ['GET /admin', [HOP_BY_HOP, 'reader'], 403, ''],
  ['POST /contacts', [HOP_BY_HOP, 'reader'], 403, ''],
  ['GET /contacts', [HOP_BY_HOP, 'far'], 403, ''],
  ['GET /contacts', [HOP_BY_HOP, 'near'], 200, ''],
  ['GET /contacts', ['Connection: Authorization', 'revoked'], 401, ''],
  ['GET /contacts', FORGED, 401, ''],
  ['GET /admin', [...FORGED, 'reader'], 403, ''],
  ['POST /contacts', [...FORGED, 'reader'], 403, ''],
  ['GET /admin', [...TWICE, 'reader'], 403, ''],
  ['GET /contacts', [FROM_ELSEWHERE, 'near'], 200, ''],
  ['GET /contacts', [FROM_ELSEWHERE, 'far'], 403, ''],
  ...ODD_PATHS.map((path): Row => [`GET ${path}`, ['reader'], 400, '']),
]

for (const proxy of PROXIES) {
  describe.skipIf(!isInstalled(proxy.name))(proxy.name, () => {
    const world = testKeys({ privateNetworks: true, limiter: callsAnHour(500) })
    const seen: Seen[] = []
    const secrets: Record<string, string> = {}
    const ids: Record<string, string> = {}
    let limited = 500
    let folder: string
    let port: number
    let auth: RunningHost
    let service: Server
    let child: ChildProcess
    let hangs = false

    const create = async (name: string, fields: object = {}) => {
      const { key, secret } = await world.keys.createKey(keyInput({ name, ...fields }))
      secrets[name] = secret
      ids[name] = key.id
    }

    /** Starts the proxy with the configuration of the guide, and waits until it listens. */
    const startProxy = async () => {
      port = await freePort()
      const block = (file: string) =>
        configurationIn(file)
          .replaceAll('127.0.0.1:4801', `127.0.0.1:${auth.port}`)
          .replaceAll('127.0.0.1:4802', `127.0.0.1:${(service.address() as AddressInfo).port}`)
          .replace('listen 8080', `listen 127.0.0.1:${port}`)
          .replace('bind :8080', `bind 127.0.0.1:${port}`)
          .replace(':8080 {', `:${port} {\n\tbind 127.0.0.1`)
      writeFileSync(join(folder, 'config'), proxy.config(folder, block(proxy.file)))
      writeFileSync(join(folder, 'lua'), block('miftah.lua'))
      const [command = '', ...args] = proxy.command(folder).split(' ')
      child = spawn(command, args, {
        stdio: 'ignore',
        env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      })
      while (!(await isListening(port))) {
        if (child.exitCode !== null) throw new Error(`${proxy.name} does not start.`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }

    beforeAll(async () => {
      await create('reader')
      await create('arabic', { workspaceId: 'مساحة' })
      await create('revoked')
      await create('near', { networks: ['127.0.0.0/8'] })
      await create('far', { networks: ['198.51.100.0/24'] })
      await world.keys.revokeKey({ workspaceId: 'ws_1', id: ids['revoked'] ?? '', actor: USER })
      const app = express()
      app.use((_req, _res, next) => {
        if (!hangs) next()
      })
      app.use(
        '/auth',
        forwardAuth(world.keys, {
          proxy: proxy.name === 'caddy' ? 'caddy' : 'nginx',
          requirement: (method, path) => {
            if (path !== '/contacts') return undefined
            return method === 'GET' || method === 'OPTIONS' ? 'contacts.read' : 'contacts.write'
          },
          clientAddress: (request) => request.get('x-forwarded-for') ?? null,
          onDenied: (_denial, answer) =>
            limited > 0 ? undefined : { ...answer, status: 429, headers: { 'retry-after': '7' } },
        }),
      )
      auth = await listen(app)
      service = createServer(async (request, response) => {
        let body = 0
        for await (const chunk of request) body += chunk.length
        const { method = '', url = '', headers } = request
        seen.push({ method, url, headers, body })
        response.end('served')
      })
      await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
      folder = mkdtempSync(join(tmpdir(), `miftah-${proxy.name}-`))
      mkdirSync(join(folder, 'logs'))
      await startProxy()
    })

    afterAll(async () => {
      if (child.exitCode === null) {
        child.kill('SIGTERM')
        await new Promise((resolve) => child.once('exit', resolve))
      }
      await auth.close()
      service.closeAllConnections()
      service.close()
      rmSync(folder, { recursive: true })
    })

    beforeEach(() => {
      seen.length = 0
      limited = 500
      hangs = false
      world.outage = false
    })

    const textOf = (target: string, headers: readonly string[] = [], method = 'GET') =>
      [`${method} ${target} HTTP/1.1`, 'Host: api.example', ...headers, '', ''].join('\r\n')
    const send = (...args: Parameters<typeof textOf>) => exchange(port, textOf(...args))
    const bearer = (name: string) => `Authorization: Bearer ${secrets[name]}`

    test('an accepted key reaches the service, which reads whose it is', async () => {
      const answer = await send('/contacts?page=2', [bearer('reader')])
      expect([answer.status, answer.body]).toEqual([200, 'served'])
      expect(seen).toMatchObject([{ method: 'GET', url: '/contacts?page=2' }])
      const identity = IDENTITY.map((name) => seen[0]?.headers[name.toLowerCase()])
      expect(identity).toEqual([ids['reader'], 'ws_1', 'contacts.read'])
      expect(seen[0]?.headers.authorization).toBeUndefined()
      await send('/contacts', [bearer('arabic')])
      expect(decodeURIComponent(String(seen[1]?.headers['x-workspace-id']))).toBe('مساحة')
    })

    test.each(REQUESTS)('%s with %j: %i', async (line, sent, status, challenge) => {
      const [method = '', target = ''] = line.split(' ')
      const lines = sent.map((text) => (text in secrets ? bearer(text) : text))
      const more = method === 'POST' ? ['Content-Length: 0'] : []
      const answer = await send(target, [...lines, ...more], method)
      expect(answer.status).toBe(status)
      expect(headerOf(answer, 'www-authenticate').join()).toContain(challenge)
      if (proxy.passesBodies && status !== 200) expect(JSON.parse(answer.body).status).toBe(status)
      expect(seen).toHaveLength(status === 200 ? 1 : 0)
    })

    test('a refusal for a while keeps its status and Retry-After', async () => {
      limited = 0
      const answer = await send('/contacts')
      expect([answer.status, headerOf(answer, 'retry-after')]).toEqual([429, ['7']])
      expect(seen).toEqual([])
    })

    test('an outage of the storage, of miftah, and one that hangs: closed', async () => {
      world.outage = true
      const broken = await send('/contacts', [bearer('reader')])
      expect([broken.status, headerOf(broken, 'retry-after')]).toEqual([503, ['1']])
      world.outage = false
      hangs = true
      expect((await send('/contacts', [bearer('reader')])).status).toBe(proxy.hung)
      expect(seen).toEqual([])
    })

    test('identity headers that a client sends, in four spellings', async () => {
      for (const name of IDENTITY) {
        const other = ['_', '.'].map((mark) => name.replaceAll('-', mark))
        for (const spelling of [name, name.toLowerCase(), ...other, name.replace('-', '_')]) {
          seen.length = 0
          const answer = await send('/contacts', [`${spelling}: forged`, bearer('reader')])
          expect([spelling, answer.status]).toEqual([spelling, 200])
          expect(JSON.stringify(seen)).not.toContain('forged')
          expect(seen[0]?.headers['x-workspace-id']).toBe('ws_1')
          expect((await send('/contacts', [`${spelling}: forged`])).status).toBe(401)
        }
      }
    })

    test('headers that a client calls hop-by-hop reach the service all the same', async () => {
      for (const connection of [...IDENTITY, IDENTITY.join(', '), `close, ${IDENTITY.join()}`]) {
        seen.length = 0
        const forged = IDENTITY.map((name) => `${name}: forged`)
        const lines = [`Connection: ${connection}`, ...forged, bearer('reader')]
        expect((await send('/contacts', lines)).status).toBe(200)
        expect(IDENTITY.map((name) => seen[0]?.headers[name.toLowerCase()])).toEqual([
          ids['reader'],
          'ws_1',
          'contacts.read',
        ])
      }
    })

    test('a body of 10 MB is refused before it is read, and read where the key is good', async () => {
      const head = (name: string) => textOf('/contacts', [name, 'Content-Length: 10000000'], 'POST')
      const client = await RawClient.open(port)
      client.write(head(bearer('revoked')) + 'x'.repeat(1_000))
      expect((await client.read()).status).toBe(401)
      client.destroy()
      expect(seen).toEqual([])
      await create('writer', { scopes: ['contacts.write'] })
      const whole = await RawClient.open(port)
      whole.write(head(bearer('writer')) + 'x'.repeat(10_000_000))
      expect((await whole.read()).status).toBe(200)
      whole.destroy()
      expect(seen.map(({ body }) => body)).toEqual([10_000_000])
    })

    test('two identity headers that a client sends', async () => {
      const ids = ['X-Workspace-Id: a', 'X-Workspace-Id: b', bearer('reader')]
      expect((await send('/contacts', ids)).status).toBe(200)
      expect(seen.map(({ headers }) => headers['x-workspace-id'])).toEqual(['ws_1'])
    })

    test('requests on one connection are decided one by one, also after a revocation', async () => {
      await create('short')
      const client = await RawClient.open(port)
      const statusOf = async (...lines: readonly string[]) => {
        client.write(textOf('/contacts', lines))
        return (await client.read()).status
      }
      expect([await statusOf(bearer('short')), await statusOf()]).toEqual([200, 401])
      await world.keys.revokeBySecret(secrets['short'] ?? '')
      expect([await statusOf(bearer('short')), await statusOf(bearer('reader'))]).toEqual([
        401, 200,
      ])
      client.destroy()
    })

    test('while miftah is down: closed', async () => {
      await auth.close()
      expect((await send('/contacts', [bearer('reader')])).status).toBe(proxy.down)
      expect(seen).toEqual([])
    })
  })
}
