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

    test.each([
      ['no key', [], 'GET', '/contacts', 401, 'Bearer realm="api"'],
      ['an unknown key', ['Authorization: Bearer x'], 'GET', '/contacts', 401, 'invalid_token'],
      ['a revoked key', ['revoked'], 'GET', '/contacts', 401, 'invalid_token'],
      ['a scope that the key lacks', ['reader'], 'POST', '/contacts', 403, 'insufficient_scope'],
      ['a path that is not known', ['reader'], 'GET', '/admin', 403, ''],
      ['OPTIONS without a key', [], 'OPTIONS', '/contacts', 401, 'Bearer realm="api"'],
    ] as const)('%s', async (_name, credentials, method, target, status, challenge) => {
      const lines = credentials.map((text) => (text in secrets ? bearer(text) : text))
      const more = method === 'POST' ? ['Content-Length: 0'] : []
      const answer = await send(target, [...lines, ...more], method)
      expect(answer.status).toBe(status)
      expect(headerOf(answer, 'www-authenticate').join()).toContain(challenge)
      if (proxy.passesBodies) expect(JSON.parse(answer.body).status).toBe(status)
      expect(seen).toEqual([])
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

    test('what the decision rests on cannot be called hop-by-hop', async () => {
      const asked = 'X-Forwarded-Method, X-Forwarded-Uri, X-Original-Method, X-Original-URI'
      const of = (name: string, more: readonly string[] = []) => [
        `Connection: ${asked}, X-Forwarded-For`,
        bearer(name),
        ...more,
      ]
      expect((await send('/admin', of('reader'))).status).toBe(403)
      expect((await send('/contacts', of('reader', ['Content-Length: 0']), 'POST')).status).toBe(
        403,
      )
      expect((await send('/contacts', of('far'))).status).toBe(403)
      expect(
        (await send('/contacts', ['Connection: Authorization', bearer('revoked')])).status,
      ).toBe(401)
      expect(seen).toEqual([])
      expect((await send('/contacts', of('near'))).status).toBe(200)
    })

    test('method and path headers that a client sends change nothing', async () => {
      const forged = [
        'X-Forwarded-Method: OPTIONS',
        'X-Forwarded-Uri: /contacts',
        'X-Original-Method: GET',
        'X-Original-URI: /contacts',
        'Access-Control-Request-Method: GET',
      ]
      expect((await send('/contacts', forged)).status).toBe(401)
      expect((await send('/admin', [...forged, bearer('reader')])).status).toBe(403)
      const post = [...forged, bearer('reader'), 'Content-Length: 0']
      expect((await send('/contacts', post, 'POST')).status).toBe(403)
      const twice = ['X-Forwarded-Method: GET', 'X-Forwarded-Method: OPTIONS', ...forged]
      expect((await send('/admin', [...twice, bearer('reader')])).status).toBe(403)
      expect(seen).toEqual([])
    })

    test('the address of a client is the one that the proxy sees', async () => {
      const forged = 'X-Forwarded-For: 198.51.100.1'
      expect((await send('/contacts', [bearer('near'), forged])).status).toBe(200)
      expect((await send('/contacts', [bearer('far'), forged])).status).toBe(403)
    })

    test.each([
      ...['/contacts/../admin', '/admin/..%2fcontacts', '/%2e%2e%2fcontacts', '//contacts'],
      ...['/contacts;a=b', '/contacts%5c..', '/contacts%00', '/contacts%252e'],
    ])('the odd path %s reaches nothing', async (target) => {
      const { status } = await send(target, [bearer('reader')])
      expect(status).toBe(400)
      expect(seen).toEqual([])
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

    test('two of each header', async () => {
      const two = await send('/contacts', [bearer('reader'), bearer('revoked')])
      expect(two.status).toBe(400)
      const ids = ['X-Workspace-Id: a', 'X-Workspace-Id: b', bearer('reader')]
      expect((await send('/contacts', ids)).status).toBe(200)
      expect(seen.map(({ headers }) => headers['x-workspace-id'])).toEqual(['ws_1'])
    })

    test('requests on one connection are decided one by one', async () => {
      const client = await RawClient.open(port)
      const statuses: number[] = []
      for (const lines of [[bearer('reader')], [], [bearer('revoked')], [bearer('reader')]]) {
        client.write(textOf('/contacts', lines))
        statuses.push((await client.read()).status)
      }
      client.destroy()
      expect(statuses).toEqual([200, 401, 401, 200])
    })

    test('a revocation holds for the next request', async () => {
      await create('short')
      expect((await send('/contacts', [bearer('short')])).status).toBe(200)
      await world.keys.revokeBySecret(secrets['short'] ?? '')
      expect((await send('/contacts', [bearer('short')])).status).toBe(401)
    })

    test('while miftah is down: closed', async () => {
      await auth.close()
      expect((await send('/contacts', [bearer('reader')])).status).toBe(proxy.down)
      expect(seen).toEqual([])
    })
  })
}
