import { getEventListeners } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import {
  createManagementClient,
  type ManagementClientOptions,
} from '../../adapters/client/index.ts'
import { honestAnswer } from './honest-answers.ts'

const honest = (url: string) => new Response(JSON.stringify(honestAnswer(url)))

/** A client of `/api`, and what it calls. */
function clientWith(
  answer: (url: string) => Response,
  options: Partial<ManagementClientOptions> = {},
) {
  const fetch = vi.fn<typeof globalThis.fetch>(async (input) => answer(String(input)))
  return { client: createManagementClient({ baseUrl: '/api', fetch, ...options }), fetch }
}

const reason = new Error('left the page')

describe('a read that is cancelled rejects with the reason of its signal', () => {
  test('before it begins: no headers are computed', async () => {
    const getHeaders = vi.fn(() => ({}))
    const { client, fetch } = clientWith(honest, { getHeaders })
    const call = client.listKeys({}, { signal: AbortSignal.abort(reason) })
    await expect(call).rejects.toBe(reason)
    expect(getHeaders).not.toHaveBeenCalled()
    expect(fetch).not.toHaveBeenCalled()
  })

  test('while its headers are awaited, and nothing is sent', async () => {
    const left = new AbortController()
    const { client, fetch } = clientWith(honest, { getHeaders: () => new Promise(() => {}) })
    const call = client.listScopes({ signal: left.signal })
    left.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(fetch).not.toHaveBeenCalled()
  })

  test('while its headers fail', async () => {
    const left = new AbortController()
    const getHeaders = () => {
      left.abort(reason)
      throw new Error('no token')
    }
    const { client } = clientWith(honest, { getHeaders })
    await expect(client.getKey('key_1', { signal: left.signal })).rejects.toBe(reason)
  })

  test('while a refusal arrives', async () => {
    const left = new AbortController()
    const refused = () => {
      const body = new ReadableStream({
        pull: (stream) => {
          left.abort(reason)
          stream.error(reason)
        },
      })
      return new Response(body, { status: 500 })
    }
    const { client } = clientWith(refused)
    await expect(client.listKeys({}, { signal: left.signal })).rejects.toBe(reason)
  })

  test('whatever the fetch of the host throws instead', async () => {
    const left = new AbortController()
    const { client } = clientWith(() => {
      left.abort(reason)
      throw new Error('cancelled')
    })
    await expect(client.listKeys({}, { signal: left.signal })).rejects.toBe(reason)
  })

  test('and a signal that outlives its reads gathers no listeners', async () => {
    const { signal } = new AbortController()
    const { client } = clientWith(honest, { getHeaders: async () => ({}) })
    const added = vi.spyOn(signal, 'addEventListener')
    await client.listKeys({}, { signal })
    expect(added).toHaveBeenCalledOnce()
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
