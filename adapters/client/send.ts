import { type ProblemCode, problemCodes } from '../../src/model/error-codes.ts'
import type { WireKey } from '../http/lib/management/wire/key.ts'
import type { WireIssue } from '../http/lib/management/wire/problems.ts'
import { type Answer, type Check, isKey } from './answers.ts'
import type { ManagementClientOptions } from './management-client.ts'
import {
  ManagementError,
  type ManagementErrorCode,
  type ManagementErrorDetails,
} from './management-error.ts'

type Transport = Pick<ManagementClientOptions, 'getHeaders' | 'fetch'>

/** One request, which workspace it is meant for, and how to recognise its answer. */
export interface Call {
  /** Everything but a `GET` is a change. */
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly url: string
  readonly isAnswer: Check
  readonly workspaceId?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** The fields of a change; an empty object unless given. */
  readonly body?: unknown
  /** The version that an update is made for. */
  readonly version?: number | undefined
}

/** Makes one call. Rejects with a {@link ManagementError}, or with the reason of its signal. */
export async function send<T>(transport: Transport, call: Call): Promise<T> {
  const headers = await headersFor(transport, call)
  const response = await responseTo(transport, call, headers)
  const answer = jsonIn(await textOf(response, call))
  if (!response.ok) throw refusal(response, answer, call)
  if (call.isAnswer(answer)) return answer as T
  // Not what the parser threw: its message quotes the answer, which may hold a secret.
  const cause = new TypeError('The answer is not one of the management routes')
  throw new ManagementError(unlessChange(call, 'unexpected'), { ...aboutAnswer(response), cause })
}

async function headersFor({ getHeaders }: Transport, call: Call): Promise<Headers> {
  const { workspaceId, version, signal } = call
  try {
    const headers = new Headers(await untilAborted(async () => getHeaders?.(), signal))
    headers.set('Accept', 'application/json')
    if (isChange(call)) headers.set('Content-Type', 'application/json')
    if (version !== undefined) headers.set('If-Match', `"${version}"`)
    // Headers can only hold Latin-1.
    if (workspaceId !== undefined) headers.set('Miftah-Workspace', encodeURIComponent(workspaceId))
    return headers
  } catch (cause) {
    signal?.throwIfAborted()
    throw new ManagementError('network', { cause })
  }
}

/** Waits for work that takes no signal. Rejects with the signal's reason as soon as it is aborted. */
async function untilAborted<T>(work: () => Promise<T>, signal: AbortSignal | undefined) {
  signal?.throwIfAborted()
  const heard = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    const once = { once: true, signal: heard.signal }
    signal?.addEventListener('abort', () => reject(signal.reason), once)
  })
  try {
    return await Promise.race([work(), aborted])
  } finally {
    heard.abort()
  }
}

async function responseTo(transport: Transport, call: Call, headers: Headers): Promise<Response> {
  const { method, url, body = {}, signal } = call
  if (globalThis.navigator?.onLine === false) throw new ManagementError('network')
  try {
    return await (transport.fetch ?? fetch)(url, {
      method,
      headers,
      ...(isChange(call) && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    })
  } catch (cause) {
    signal?.throwIfAborted()
    throw new ManagementError(unlessChange(call, 'network'), { cause })
  }
}

/** Of a refusal whose body breaks off, the status counts. */
async function textOf(response: Response, call: Call): Promise<string> {
  try {
    return await response.text()
  } catch (cause) {
    call.signal?.throwIfAborted()
    if (!response.ok) return ''
    throw new ManagementError(unlessChange(call, 'network'), { ...aboutAnswer(response), cause })
  }
}

function jsonIn(text: string): Answer {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

const CODES: Readonly<Record<number, ManagementErrorCode>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  422: 'invalid_input',
  429: 'rate_limited',
}

/**
 * The error of an answer outside 2xx. Proxies and the host's own middleware answer too, with bodies of their
 * own: a code that is not of the routes says nothing, and the status counts.
 */
function refusal(response: Response, answer: Answer, call: Call): ManagementError {
  const { code, issues, key, missing } = answer
  const isKnown = typeof code === 'string' && Object.hasOwn(problemCodes, code)
  return new ManagementError(isKnown ? (code as ProblemCode) : codeOf(response.status, call), {
    ...aboutAnswer(response),
    issues: [issues].flat().filter((one): one is WireIssue => Array.isArray(Object(one).path)),
    ...(isKey(key) && { key: key as WireKey }),
    ...(missing instanceof Object && { missing }),
  })
}

/** A gateway that gave up waiting, or lost the server, does not know whether a change was made. */
function codeOf(status: number, call: Call): ManagementErrorCode {
  if (isChange(call) && (status === 408 || status >= 500)) return 'outcome_unknown'
  return CODES[status] ?? 'unexpected'
}

/** What any answer, good or bad, says about itself. */
function aboutAnswer({ status, headers }: Response): ManagementErrorDetails {
  const retryAfterSeconds = secondsUntilRetry(headers.get('Retry-After'))
  const requestId = headers.get('X-Request-Id') ?? undefined
  return { status, retryAfterSeconds, requestId }
}

/** RFC 9110 §10.2.3: a number of seconds or a date. No caller needs to wait longer than a day. */
function secondsUntilRetry(value: string | null): number | undefined {
  const date = (Date.parse(value ?? '') - Date.now()) / 1000
  const seconds = value !== null && /^\d+$/.test(value) ? Number(value) : date
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, Math.ceil(seconds)), 86_400)
}

/** The code of a read. Of a change nobody knows: fetch does not tell what never left from what was not answered. */
function unlessChange(call: Call, code: ManagementErrorCode): ManagementErrorCode {
  return isChange(call) ? 'outcome_unknown' : code
}

const isChange = ({ method }: Call) => method !== 'GET'
