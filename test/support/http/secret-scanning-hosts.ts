import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { revokeLeakedKeys as inExpress } from '../../../adapters/http/express.ts'
import { revokeLeakedKeys as inFastify } from '../../../adapters/http/fastify.ts'
import {
  type RevokeLeakedKeysOptions,
  revokeLeakedKeys,
} from '../../../adapters/http/secret-scanning.ts'
import type { ApiKeys, DefaultScope } from '../../../src/index.ts'
import { chosen } from './chosen-hosts.ts'
import { listen, type RunningHost } from './guard-hosts.ts'
import { serveFetch } from './serve-fetch.ts'

/** Where every host mounts the endpoint. */
const PATH = '/github/alerts'

type Options = RevokeLeakedKeysOptions<DefaultScope>
type Start = (keys: ApiKeys, options: Options) => Promise<RunningHost>

/** A host of the endpoint. */
interface SecretScanningHost {
  readonly name: string
  /** Whether the host reads bodies before the endpoint sees them. */
  readonly parsesFirst: boolean
  readonly start: Start
}

export const secretScanningHosts = chosen<SecretScanningHost>([
  { name: 'express', parsesFirst: false, start: (...args) => listen(inAnExpress(...args)) },
  { name: 'express behind express.raw()', parsesFirst: true, start: startRaw },
  { name: 'fastify', parsesFirst: false, start: startFastify },
  {
    name: 'fetch',
    parsesFirst: false,
    start: (...args) => listen(serveFetch(revokeLeakedKeys(...args))),
  },
])

function inAnExpress(keys: ApiKeys, options: Options) {
  const app = express()
  app.use(PATH, inExpress(keys, options))
  return app
}

function startRaw(keys: ApiKeys, options: Options): Promise<RunningHost> {
  const app = express()
  app.use(express.raw({ type: '*/*', limit: '4mb' }))
  app.use(inAnExpress(keys, options))
  return listen(app)
}

async function startFastify(keys: ApiKeys, options: Options): Promise<RunningHost> {
  const app = fastify({ forceCloseConnections: true })
  app.register(inFastify(keys, options), { prefix: PATH })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
}

/** Sends a delivery and reads the answer. */
export async function deliver(
  port: number,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
}
