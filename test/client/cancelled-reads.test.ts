import { getEventListeners } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { clientWith, errorOf, good } from './clients.ts'

const reason = new Error('left the page')

describe('a read that is cancelled rejects with the reason of its signal', () => {
  test('before it begins: no headers are computed', async () => {
    const getHeaders = vi.fn(() => ({}))
    const { client, fetch } = clientWith(good, { getHeaders })
    const call = client.listKeys({}, { signal: AbortSignal.abort(reason) })
    await expect(call).rejects.toBe(reason)
    expect(getHeaders).not.toHaveBeenCalled()
    expect(fetch).not.toHaveBeenCalled()
  })

  test('while its headers are awaited, and nothing is sent', async () => {
    const left = new AbortController()
    const { client, fetch } = clientWith(good, { getHeaders: () => new Promise(() => {}) })
    const call = client.listScopes({ signal: left.signal })
    left.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(fetch).not.toHaveBeenCalled()
  })

  test.each(['its headers', 'fetch', 200, 500])('while it fails: %s', async (failing) => {
    const left = new AbortController()
    const leave = (): never => {
      left.abort(reason)
      throw new Error('cancelled')
    }
    const arriving = () => new Response(new ReadableStream({ pull: leave }), { status: +failing })
    const { client } = clientWith(
      failing === 'fetch' ? leave : arriving,
      failing === 'its headers' ? { getHeaders: leave } : {},
    )
    await expect(client.listKeys({}, { signal: left.signal })).rejects.toBe(reason)
  })
})

test('a signal goes along, changes nothing while nobody uses it, and gathers no listeners', async () => {
  const { signal } = new AbortController()
  const { client, sent } = clientWith(good, { getHeaders: async () => ({}) })
  const added = vi.spyOn(signal, 'addEventListener')
  await client.listKeys({}, { signal })
  expect(sent()?.signal).toBe(signal)
  expect(added).toHaveBeenCalledOnce()
  expect(getEventListeners(signal, 'abort')).toEqual([])
  const { client: cut } = clientWith(() => Promise.reject(new TypeError('Failed to fetch')))
  expect(await errorOf(cut.listKeys({}, { signal }))).toMatchObject({ code: 'network' })
})
