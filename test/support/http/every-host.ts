import { readFileSync } from 'node:fs'
import express from 'express'
import type { Context, Next } from 'hono'
import type { ManagementOperation } from '../../../adapters/http/fetch.ts'
import { type ApiKeys, defineResources } from '../../../src/index.ts'
import { chosen, type RunningHost } from './guard-hosts.ts'
import { testKeys } from './keys.ts'
import { BASE } from './management-call.ts'
import {
  type Mount,
  onExpress,
  onFastify,
  onFetch,
  onHono,
  onNest,
  type Serve,
} from './mounted-hosts.ts'
import { headerIn } from './requests.ts'
import { contextOf } from './sessions.ts'

/*
 * The same requests to every host. A line of `hosts.txt` is one request, the answer of `miftah/fetch` (its status
 * and a digest of its header lines and body), and each host that answers with something else.
 */

const parsers = [express.json(), express.urlencoded({ extended: true }), express.text()]

export const HOSTS: Readonly<Record<string, Serve>> = {
  fetch: onFetch,
  express: onExpress(),
  'express, parsed': onExpress(...parsers),
  fastify: onFastify,
  hono: onHono(),
  'hono, parsed': onHono(async (c: Context, next: Next) => {
    await c.req.arrayBuffer()
    await next()
  }),
  'nestjs on express': onNest('express'),
  'nestjs on fastify': onNest('fastify'),
  'module on express': onNest('express', { asModule: true }),
  'module on fastify': onNest('fastify', { asModule: true }),
}

const managed = (keys: ApiKeys, options: object = {}): Mount => ({
  ...{ path: BASE, isTree: true },
  make: ({ manageKeys }, at) => manageKeys(keys, { ...options, ...at, context }),
})

const context = (request: unknown, operation: ManagementOperation) =>
  contextOf(headerIn(request, 'cookie'), operation)

/** Hosts of the management routes alone, whose sessions are the cookies of {@link contextOf}. */
export const managementHosts = chosen(
  Object.entries(HOSTS).map(([name, serve]) => ({
    name,
    /** Whether the host parses bodies before the routes see them. */
    parsesFirst: /parsed|module on express/.test(name),
    start: (keys: ApiKeys) => serve([managed(keys)]),
  })),
)

/** Method, target, header lines and body of a request, as the file has them. */
export type Request = readonly [
  method: string,
  target: string,
  lines: readonly string[],
  body?: string,
]

const FILE = new URL('../../http/hosts.txt', import.meta.url)

/** Each request and what the hosts answer. */
export const ROWS = readFileSync(FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const [request = '', reference = '', ...others] = line.split('\t')
    const differing = new Map(others.map((text) => text.split(': ') as [string, string]))
    return {
      request: JSON.parse(request) as Request,
      expected: (host: string) => differing.get(host) ?? reference,
    }
  })

/** A host with all that it can mount, and how to write a request to it. */
export async function openHost(serve: Serve) {
  const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
  let ms = Date.now() - 3_600_000
  const { keys } = testKeys({ resources, now: () => new Date(ms++) })
  const newKey = () =>
    keys.createKey({
      ...{ workspaceId: 'ws_1', creator: { id: 'u_1', name: 'Noura' } },
      ...{ name: 'a', environment: 'live', scopes: ['contacts.read'] },
    })
  const [first, used] = [await newKey(), await newKey()]
  const host = await serveAll(serve, keys)
  const filled = (text: string) =>
    text
      .replace('{id}', first.key.id)
      .replace('{secret}', used.secret)
      .replace('{long}', 'a'.repeat(70_000))
  const textOf = ([method, target, lines, body = '']: Request, more: readonly string[] = []) => {
    const content = filled(body)
    const length = content === '' ? [] : [`Content-Length: ${Buffer.byteLength(content, 'latin1')}`]
    const named = lines.some((line) => line.startsWith('Host:')) ? [] : ['Host: host.example']
    const head = [`${method} ${filled(target)} HTTP/1.1`, ...named, ...more, ...lines.map(filled)]
    return [...head, ...length, '', content].join('\r\n')
  }
  return { host, textOf }
}

function serveAll(serve: Serve, keys: ApiKeys): Promise<RunningHost> {
  const onError = () => {}
  const authorize = (request: unknown) => {
    const credential = headerIn(request, 'authorization') ?? ''
    if (credential.endsWith('rs-throws')) throw new Error('the directory is gone')
    if (credential.endsWith('rs-any')) return 'any'
    return credential.includes('rs-') ? { workspaceId: credential.slice(-4) } : null
  }
  const requirement = (_: string, path: string) =>
    path === '/contacts' ? 'contacts.read' : undefined
  return serve([
    managed(keys, { onError }),
    { path: '/introspect', make: (entry) => entry.introspectKeys(keys, { authorize, onError }) },
    { path: '/revoke', make: (entry) => entry.revokeBySecret(keys, { onError }) },
    {
      path: '/auth',
      make: (entry) => entry.forwardAuth(keys, { proxy: 'nginx', onError, requirement }),
    },
  ])
}
