import { ManagementError } from './management-error.ts'
import { aboutAnswer, errorOf } from './problem.ts'
import { untilAborted } from './until-aborted.ts'

/** What all calls of a client share. */
export interface Transport {
  readonly getHeaders?: () => RequestInit['headers'] | Promise<RequestInit['headers']>
  readonly fetch?: typeof fetch
}

/** Recognises an answer. */
export type Check<T> = (answer: unknown) => answer is T

/** One request, which workspace it is meant for, and how to recognise its answer. */
export interface Call<T> {
  /** Everything but a `GET` is a change. */
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly url: string
  readonly isAnswer: Check<T>
  readonly workspaceId?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** The fields of a change; an empty object unless given. */
  readonly body?: unknown
  /** The version that an update is made for. */
  readonly version?: number | undefined
}

/** Makes one call. Rejects with a {@link ManagementError}, or with the reason of its signal. */
export async function send<T>(transport: Transport, call: Call<T>): Promise<T> {
  const request = requestOf(call)
  const headers = await headersFor(transport, call)
  const response = await answerTo(transport, call, { ...request, headers })
  if (!response.ok) throw await errorOf(response, { isChange: isChange(call), signal: call.signal })
  const answer = jsonIn(await textOf(response, call))
  if (call.isAnswer(answer)) return answer
  const code = isChange(call) ? 'outcome_unknown' : 'unexpected'
  // Not what the parser threw: its message quotes the answer, which may hold a secret.
  const cause = new TypeError('The answer is not one of the management routes')
  throw new ManagementError(code, { ...aboutAnswer(response), cause })
}

async function headersFor(transport: Transport, call: Call<unknown>): Promise<Headers> {
  const { workspaceId, version, signal } = call
  try {
    const headers = new Headers(await untilAborted(async () => transport.getHeaders?.(), signal))
    headers.set('Accept', 'application/json')
    if (isChange(call)) headers.set('Content-Type', 'application/json')
    if (version !== undefined) headers.set('If-Match', `"${version}"`)
    // Headers can only hold Latin-1.
    if (workspaceId !== undefined) {
      headers.set('Miftah-Workspace', encodeURIComponent(workspaceId))
    }
    return headers
  } catch (cause) {
    signal?.throwIfAborted()
    throw new ManagementError('network', { cause })
  }
}

async function answerTo(
  transport: Transport,
  call: Call<unknown>,
  request: RequestInit,
): Promise<Response> {
  if (globalThis.navigator?.onLine === false) throw new ManagementError('network')
  try {
    return await (transport.fetch ?? fetch)(call.url, request)
  } catch (cause) {
    call.signal?.throwIfAborted()
    throw new ManagementError(lostCode(call), { cause })
  }
}

function requestOf(call: Call<unknown>): RequestInit {
  const { method, body = {}, signal } = call
  return {
    method,
    ...(isChange(call) && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    cache: 'no-store',
    credentials: 'same-origin',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
  }
}

async function textOf(response: Response, call: Call<unknown>): Promise<string> {
  try {
    return await response.text()
  } catch (cause) {
    call.signal?.throwIfAborted()
    throw new ManagementError(lostCode(call), { ...aboutAnswer(response), cause })
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// fetch does not tell a request that never left from an answer that never came.
function lostCode(call: Call<unknown>): 'network' | 'outcome_unknown' {
  return isChange(call) ? 'outcome_unknown' : 'network'
}

function isChange({ method }: Call<unknown>): boolean {
  return method !== 'GET'
}
