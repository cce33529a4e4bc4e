import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import express from 'express'
import type { Context, Next } from 'hono'
import { expect, test } from 'vitest'
import { defineResources } from '../../src/index.ts'
import type { RunningHost } from '../support/http/guard-hosts.ts'
import { testKeys } from '../support/http/keys.ts'
import {
  onExpress,
  onFastify,
  onFetch,
  onHono,
  onNest,
  type Serve,
} from '../support/http/mounted-hosts.ts'
import { exchange, type RawResponse } from '../support/http/raw-client.ts'
import { headerIn } from '../support/http/requests.ts'
import { contextOf } from '../support/http/sessions.ts'

/*
 * The same requests to every host. A line of `hosts.txt` is one request, the answer of `miftah/fetch` (its status
 * and a digest of its header lines and body), and each host that answers with something else.
 */

const HOSTS: Readonly<Record<string, Serve>> = {
  fetch: onFetch,
  express: onExpress(),
  'express, parsed': onExpress(
    express.json(),
    express.urlencoded({ extended: true }),
    express.text(),
  ),
  fastify: onFastify,
  hono: onHono(),
  'hono, parsed': onHono(readFirst),
  'nestjs on express': onNest('express'),
  'nestjs on fastify': onNest('fastify'),
  'module on express': onNest('express', { asModule: true }),
  'module on fastify': onNest('fastify', { asModule: true }),
}

async function readFirst(c: Context, next: Next): Promise<void> {
  await c.req.arrayBuffer()
  await next()
}

const BASE = '/api/settings'

/** Method, target, header lines and body of each request, as the file has them. */
type Request = readonly [method: string, target: string, lines: readonly string[], body?: string]

const FILE = new URL('./hosts.txt', import.meta.url)
const REQUESTS: readonly Request[] = readFileSync(FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line.split('\t', 1).join()))

/** What every host answers, in the order of the requests. */
async function answersOf(serve: Serve): Promise<string[]> {
  const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
  let ms = Date.now() - 3_600_000
  const { keys } = testKeys({ resources, now: () => new Date(ms++) })
  const newKey = () =>
    keys.createKey({
      ...{ workspaceId: 'ws_1', creator: { id: 'u_1', name: 'Noura' } },
      ...{ name: 'a', environment: 'live', scopes: ['contacts.read'] },
    })
  const managed = await newKey()
  const used = await newKey()
  const onError = () => {}
  const authorize = (request: unknown) => {
    const credential = headerIn(request, 'authorization') ?? ''
    if (credential.endsWith('rs-throws')) throw new Error('the directory is gone')
    if (credential.endsWith('rs-any')) return 'any'
    return credential.includes('rs-') ? { workspaceId: credential.slice(-4) } : null
  }
  const host = await serve([
    {
      ...{ path: BASE, isTree: true },
      make: ({ manageKeys }, at) =>
        manageKeys(keys, {
          ...{ ...at, onError },
          context: (request: unknown, operation: never) =>
            contextOf(headerIn(request, 'cookie'), operation),
        }),
    },
    { path: '/introspect', make: (entry) => entry.introspectKeys(keys, { authorize, onError }) },
    { path: '/revoke', make: (entry) => entry.revokeBySecret(keys, { onError }) },
    {
      path: '/auth',
      make: (entry) =>
        entry.forwardAuth(keys, {
          ...{ proxy: 'nginx', onError },
          requirement: (_method: string, path: string) =>
            path === '/contacts' ? 'contacts.read' : undefined,
        }),
    },
  ])
  const filled = (text: string) =>
    text
      .replace('{id}', managed.key.id)
      .replace('{secret}', used.secret)
      .replace('{long}', 'a'.repeat(70_000))
  try {
    const answers: string[] = []
    for (const request of REQUESTS) answers.push(digestOf(await sent(host, request, filled)))
    return answers
  } finally {
    await host.close()
  }
}

function sent(
  { port }: RunningHost,
  [method, target, lines, body = '']: Request,
  filled: (text: string) => string,
) {
  const content = filled(body)
  const length = content === '' ? [] : [`Content-Length: ${Buffer.byteLength(content, 'latin1')}`]
  const host = lines.some((line) => line.startsWith('Host:')) ? [] : ['Host: host.example']
  const head = [
    `${method} ${filled(target)} HTTP/1.1`,
    ...host,
    'Connection: close',
    ...lines.map(filled),
    ...length,
  ]
  return exchange(port, [...head, '', content].join('\r\n'))
}

/** What a server adds by itself, and differs from one server to the next. */
const OF_SERVER = [
  'date',
  'connection',
  'keep-alive',
  'x-powered-by',
  'transfer-encoding',
  'content-length',
]

/** The answer without what differs by chance; of an answer that is the framework's own, the status alone. */
function digestOf({ status, lines, body }: RawResponse): string {
  if (!lines.some(([name]) => name === 'referrer-policy')) return `${status} by the framework`
  const own = lines.filter(([name]) => !OF_SERVER.includes(name)).map((line) => line.join(': '))
  const text = [...own.sort(), body]
    .join('\n')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'AT')
    .replace(/"(exp|iat|uses)":\d+/g, '$1')
    .replace(/"lastUsedAt":[^,}]+/g, 'USED')
    .replace(/key_[\w-]+/g, 'ID')
    .replace(/svc_[\w-]+/g, 'SECRET')
    .replace(/"prefix":"[^"]*"/g, 'PREFIX')
  return `${status} ${createHash('sha256').update(text).digest('hex').slice(0, 8)}`
}

test('every host answers as it did, and as the others do', async () => {
  const names = Object.keys(HOSTS)
  const table: string[][] = []
  for (const serve of Object.values(HOSTS)) table.push(await answersOf(serve))
  const [reference = [], ...others] = table
  const lines = REQUESTS.map((request, at) => {
    const differing = others.flatMap((answers, host) =>
      answers[at] === reference[at] ? [] : [`${names[host + 1]}: ${answers[at]}`],
    )
    return [JSON.stringify(request), reference[at], ...differing].join('\t')
  })
  expect(lines.length).toBeGreaterThan(200)
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./hosts.txt')
}, 120_000)
