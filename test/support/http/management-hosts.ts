import express from 'express'
import type { Context, Next } from 'hono'
import type { ManageKeysOptions, ManagementOperation } from '../../../adapters/http/fetch.ts'
import type { ApiKeys } from '../../../src/index.ts'
import { chosen } from './chosen-hosts.ts'
import type { RunningHost } from './guard-hosts.ts'
import { BASE } from './management-call.ts'
import { onExpress, onFastify, onFetch, onHono, onNest, type Serve } from './mounted-hosts.ts'
import { headerIn } from './requests.ts'
import { contextOf } from './sessions.ts'

type Options = Omit<ManageKeysOptions<never>, 'context'>

/** A host of the management routes whose sessions are the cookies of {@link contextOf}. */
export interface ManagementHost {
  readonly name: string
  /** Whether the host parses bodies before the routes see them. */
  readonly parsesFirst: boolean
  start(keys: ApiKeys, options?: Options): Promise<RunningHost>
}

const host = (name: string, serve: Serve, parsesFirst = false): ManagementHost => ({
  ...{ name, parsesFirst },
  start: (keys, options = {}) =>
    serve([
      {
        ...{ path: BASE, isTree: true },
        make: ({ manageKeys }, at) => manageKeys(keys, { ...options, ...at, context }),
      },
    ]),
})

export const managementHosts = chosen<ManagementHost>([
  host('express', onExpress()),
  host(
    'express behind express.json()',
    onExpress(express.json(), express.urlencoded(), express.text()),
    true,
  ),
  host('fastify', onFastify),
  host('fetch', onFetch),
  host('hono', onHono()),
  host('hono behind c.req.json()', onHono(parseFirst), true),
  host('nestjs on express', onNest('express')),
  host('nestjs on fastify', onNest('fastify')),
  host('a module of nestjs on express', onNest('express', { asModule: true }), true),
  host('a module of nestjs on fastify', onNest('fastify', { asModule: true })),
])

async function parseFirst(c: Context, next: Next): Promise<void> {
  if (Number(c.req.header('content-length') ?? 0) < 1_000_000) await c.req.json().catch(() => {})
  await next()
}

function context(request: unknown, operation: ManagementOperation) {
  return contextOf(headerIn(request, 'cookie'), operation)
}
