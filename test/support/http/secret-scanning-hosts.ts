import express from 'express'
import type { RevokeLeakedKeysOptions } from '../../../adapters/http/secret-scanning.ts'
import type { ApiKeys, DefaultScope } from '../../../src/index.ts'
import { chosen } from './chosen-hosts.ts'
import type { RunningHost } from './guard-hosts.ts'
import { onExpress, onFastify, onFetch, type Serve } from './mounted-hosts.ts'

/** Where every host mounts the endpoint. */
const PATH = '/github/alerts'

/** A host of the endpoint. */
interface SecretScanningHost {
  readonly name: string
  /** Whether the host reads bodies before the endpoint sees them. */
  readonly parsesFirst: boolean
  start(keys: ApiKeys, options: RevokeLeakedKeysOptions<DefaultScope>): Promise<RunningHost>
}

const host = (name: string, serve: Serve, parsesFirst = false): SecretScanningHost => ({
  ...{ name, parsesFirst },
  start: (...given) =>
    serve([{ path: PATH, make: ({ revokeLeakedKeys }) => revokeLeakedKeys(...given) }]),
})

export const secretScanningHosts = chosen<SecretScanningHost>([
  host('express', onExpress()),
  host('express behind express.raw()', onExpress(express.raw({ type: '*/*', limit: '4mb' })), true),
  host('fastify', onFastify),
  host('fetch', onFetch),
])

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
