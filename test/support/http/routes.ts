import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { z } from 'zod'
import { type ManageKeysFetchOptions, manageKeys } from '../../../adapters/http/fetch.ts'
import type { ApiKeysOptions } from '../../../src/index.ts'
import { testKeys } from './keys.ts'
import { contextOf } from './sessions.ts'

type Json = Readonly<Record<string, unknown>>

const FILE = new URL('../../../docs/openapi.json', import.meta.url)
export const DOCUMENT = JSON.parse(readFileSync(FILE, 'utf8'))

/** What the document says of an answer; `undefined` where there is no such operation. */
export function describedAnswer(method: string, pathname: string, status: number) {
  const fits = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/, '[^/]+')}$`).test(pathname)
  // A path without a parameter goes first.
  const path = Object.keys(DOCUMENT.paths).sort().find(fits)
  const operations = path === undefined ? {} : DOCUMENT.paths[path]
  if (!Object.hasOwn(operations, method.toLowerCase())) return undefined
  const operation = operations[method.toLowerCase()]
  const { $ref, ...own } = operation.responses[status] ?? {}
  const answer = $ref ? DOCUMENT.components.responses[$ref.split('/').at(-1)] : own
  return { id: `${operation.operationId} ${status}`, ...answer } as {
    readonly id: string
    readonly headers?: Json
    readonly content?: Readonly<Record<string, { readonly schema: Json }>>
  }
}

/** A checker for a schema of the document, made from the document alone. */
export function checkerOf(schema: unknown) {
  const text = JSON.stringify({ $defs: DOCUMENT.components.schemas, allOf: [schema] })
  return z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')))
}

const checkers = new Map<string, ReturnType<typeof checkerOf>>()

/** Every operation and status that has been checked. */
export const SEEN = new Set<string>()

/** Fails unless an answer is one that the document describes for its operation. */
export function expectDescribed(method: string, pathname: string, answer: RoutesAnswer): void {
  const { status, headers, json } = answer
  const described = describedAnswer(method, pathname, status)
  if (described === undefined) return
  const { id, content = {} } = described
  const type = headers['content-type'] ?? ''
  expect(Object.keys(content), id).toEqual([type])
  const checker = checkers.get(id) ?? checkerOf(content[type]?.schema)
  checkers.set(id, checker)
  expect(checker.safeParse(json).error, id).toBeUndefined()
  // A field too many would not be described.
  expect(checker.safeParse({ ...json, hash: 'x' }).success, id).toBe(false)
  expect(Object.keys(headers), id).toEqual(
    expect.arrayContaining(Object.keys(described.headers ?? {}).map((name) => name.toLowerCase())),
  )
  SEEN.add(id)
}

/** What the routes have answered. */
export interface RoutesAnswer {
  readonly status: number
  /** The status and, of a problem, its code. */
  readonly verdict: string
  readonly headers: Readonly<Record<string, string>>
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects there.
  readonly json: any
}

/** A call beyond its method and path. */
export interface RoutesCall {
  /** Whose session; `null` for none. Default: Noura of workspace ws_1. */
  readonly session?: string | null
  /** Beside those; by default a JSON type for all but GET. */
  readonly headers?: Readonly<Record<string, string>>
  /** Text and bytes as they are, anything else as JSON. Default: an empty object for POST. */
  readonly body?: unknown
}

/** The management routes of `miftah/fetch`, called without a server. Each answer is checked against the document. */
export function openRoutes(
  options: Partial<ManageKeysFetchOptions> = {},
  setup: Partial<ApiKeysOptions> = {},
) {
  const backend = testKeys(setup)
  const errors: unknown[] = []
  const handler = manageKeys(backend.keys, {
    context: (request, operation) => contextOf(request.headers.get('cookie'), operation),
    onError: (error) => errors.push(error),
    ...options,
  })
  const call = async (target: string, given: RoutesCall = {}): Promise<RoutesAnswer> => {
    const [method = '', path = ''] = target.split(' ')
    const { session = 'noura', headers = {}, body = method === 'POST' ? {} : null } = given
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body === null
    const response = await handler(
      new Request(`https://app.example${path}`, {
        method,
        body: isRaw ? (body as BodyInit | null) : JSON.stringify(body),
        headers: {
          ...(method !== 'GET' && { 'content-type': 'application/json' }),
          ...(session !== null && { cookie: `session=${session}` }),
          ...headers,
        },
      }),
    )
    const text = await response.text()
    const json = text === '' ? null : JSON.parse(text)
    const { status } = response
    const verdict = [status, json?.code ?? []].flat().join(' ')
    const answer = { status, verdict, headers: Object.fromEntries(response.headers), json }
    const [pathname = ''] = path.split('?')
    const { basePath = '' } = options
    if (pathname.startsWith(basePath)) {
      expectDescribed(method, pathname.slice(basePath.length), answer)
    }
    return answer
  }
  /** Changes a key at a version. */
  const patch = (id: string, body: unknown, version = 1, more: RoutesCall = {}) =>
    call(`PATCH /keys/${id}`, { body, headers: { 'if-match': `"${version}"` }, ...more })
  return { backend, keys: backend.keys, errors, call, patch }
}
