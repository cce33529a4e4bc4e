import { createServer, type IncomingMessage } from 'node:http'
import express from 'express'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { revokeLeakedKeys as inExpress } from '../../../adapters/http/express.ts'
import { bytesOf } from '../../../adapters/http/lib/management/body.ts'
import { githubKeys } from '../../../adapters/http/lib/secret-scanning/github-keys.ts'
import { createReceiver } from '../../../adapters/http/lib/secret-scanning/receiver.ts'
import { revokeLeakedKeys } from '../../../adapters/http/secret-scanning.ts'
import { GitHub } from '../../support/http/github.ts'
import { listen } from '../../support/http/guard-hosts.ts'
import { testKeys } from '../../support/http/keys.ts'
import { deliver } from '../../support/http/secret-scanning-hosts.ts'

const HOUR_MS = 3_600_000
const { keys } = testKeys()

beforeEach(() => {
  // Only the clock: time-outs stay real.
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A delivery with these headers. */
const delivery = (headers: Record<string, string>, body = '[]') =>
  new Request('https://a.example/', { method: 'POST', headers, body })

function receiver(github: GitHub) {
  const handler = revokeLeakedKeys(keys, { fetchKeys: github.fetchKeys })
  return async (id: string, body = '[]') => {
    return (await handler(delivery(github.sign(body, id), body))).status
  }
}

describe('GitHub’s public keys', () => {
  test('are fetched once for any number of deliveries', async () => {
    const github = new GitHub('key-1', 'key-2')
    const send = receiver(github)
    const many = Array.from({ length: 20 }, (_, at) => send(at % 2 ? 'key-1' : 'key-2'))
    expect(new Set(await Promise.all(many))).toEqual(new Set([200]))
    expect(github.asked).toBe(1)
  })

  test('are fetched again when one is unknown, once a minute at most', async () => {
    const github = new GitHub('key-1')
    const send = receiver(github)
    expect(await send('key-1')).toBe(200)
    github.addKey('key-2')
    expect(await send('key-2')).toBe(403)
    vi.advanceTimersByTime(60_000)
    expect(await Promise.all([send('key-2'), send('key-2'), send('key-1')])).toEqual([
      200, 200, 200,
    ])
    expect(github.asked).toBe(2)
    github.addKey('key-3')
    github.dropKey('key-3')
    vi.advanceTimersByTime(60_000)
    expect(await Promise.all([send('key-3'), send('key-3')])).toEqual([403, 403])
    expect(await send('key-3')).toBe(403)
    expect(github.asked).toBe(3)
  })

  test('that GitHub has taken back are good for an hour at most', async () => {
    const github = new GitHub('key-1', 'key-2')
    const send = receiver(github)
    expect(await send('key-1')).toBe(200)
    github.dropKey('key-1')
    vi.advanceTimersByTime(HOUR_MS - 1)
    expect(await send('key-1')).toBe(200)
    vi.advanceTimersByTime(1)
    expect(await send('key-1')).toBe(403)
    expect(await send('key-2')).toBe(200)
    expect(github.asked).toBe(2)
  })

  test('that cannot be had: known ones are good, others are not refused but put off', async () => {
    const github = new GitHub('key-1')
    const send = receiver(github)
    expect(await send('key-1')).toBe(200)
    github.down = true
    github.addKey('key-2')
    vi.advanceTimersByTime(60_000)
    expect([await send('key-2'), await send('key-2'), await send('key-1')]).toEqual([503, 503, 200])
    expect(github.asked).toBe(2)
    github.down = false
    vi.advanceTimersByTime(60_000)
    expect(await send('key-2')).toBe(200)
    github.down = true
    vi.advanceTimersByTime(HOUR_MS)
    expect(await send('key-1')).toBe(503)
  })

  test.each([
    ['nothing', undefined],
    ['an error of GitHub’s', { message: 'rate limited' }],
    ['a list of something else', { public_keys: ['key-1'] }],
  ])('are not had from %s', async (_name, list) => {
    const github = new GitHub('key-1')
    const handler = revokeLeakedKeys(keys, { fetchKeys: async () => list })
    expect((await handler(delivery(github.sign('[]')))).status).toBe(503)
  })

  test('a function that throws at once is no less a failure, and is not remembered for ever', async () => {
    const github = new GitHub('key-1')
    let down = true
    const handler = revokeLeakedKeys(keys, {
      fetchKeys: () => {
        if (down) throw new Error('no network')
        return github.fetchKeys()
      },
    })
    const send = (id = 'key-1') => {
      const headers = { ...github.sign('[]'), 'github-public-key-identifier': id }
      return handler(delivery(headers))
    }
    expect((await send()).status).toBe(503)
    down = false
    vi.advanceTimersByTime(60_000)
    expect((await send()).status).toBe(200)
    expect((await send('key-2')).status).toBe(403)
  })

  test('that do not come in ten seconds are a failure, which is reported', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
    const github = new GitHub('key-1')
    const errors: unknown[] = []
    const fetchKeys = vi.fn<() => Promise<unknown>>(() => new Promise(() => {}))
    const onError = (error: unknown) => void errors.push(error)
    const handler = revokeLeakedKeys(keys, { fetchKeys, onError })
    const send = () => handler(delivery(github.sign('[]')))
    const waiting = send()
    await vi.waitUntil(() => fetchKeys.mock.calls.length > 0)
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await waiting).status).toBe(503)
    expect(errors).toMatchObject([
      {
        name: 'KeysUnavailable',
        message: 'The public keys could not be fetched.',
        cause: { message: 'no answer in 10000 ms' },
      },
    ])
    fetchKeys.mockImplementation(github.fetchKeys)
    vi.advanceTimersByTime(60_000)
    const set = vi.spyOn(globalThis, 'setTimeout')
    const clear = vi.spyOn(globalThis, 'clearTimeout')
    expect((await send()).status).toBe(200)
    const limits = set.mock.results.filter((_, at) => set.mock.calls[at]?.[1] === 10_000)
    expect(limits).toHaveLength(1)
    expect(clear).toHaveBeenCalledWith(limits[0]?.value)
    vi.restoreAllMocks()
  })

  test('one that is on another curve, or no key, spoils none of the others', async () => {
    const github = new GitHub('key-1')
    const { public_keys: good } = (await github.fetchKeys()) as { public_keys: object[] }
    const others = [
      { key_identifier: 'bad', key: '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----' },
      { key_identifier: 'worse', key: '' },
    ]
    const list = { public_keys: [...others, ...good] }
    const handler = revokeLeakedKeys(keys, { fetchKeys: async () => list })
    const statuses = ['key-1', 'bad', 'worse'].map(async (id) => {
      const headers = { ...github.sign('[]'), 'github-public-key-identifier': id }
      const call = delivery(headers)
      return (await handler(call)).status
    })
    expect(await Promise.all(statuses)).toEqual([200, 403, 403])
  })
})

test('a list without a usable key is a failure, which is reported', async () => {
  const github = new GitHub('key-1')
  const bad = { public_keys: [{ key_identifier: 'key-1', key: '' }] }
  const fetchKeys = vi.fn<() => Promise<unknown>>(async () => bad)
  const errors: unknown[] = []
  const handler = revokeLeakedKeys(keys, { fetchKeys, onError: (error) => errors.push(error) })
  const send = () => handler(delivery(github.sign('[]')))
  expect((await send()).status).toBe(503)
  const message = 'None of the public keys can be used.'
  expect(errors).toMatchObject([{ name: 'KeysUnavailable', cause: { message } }])
  fetchKeys.mockImplementation(github.fetchKeys)
  vi.advanceTimersByTime(60_000)
  expect((await send()).status).toBe(200)
})

describe('GitHub’s quota of 60 answers an hour', () => {
  const MINUTE_MS = 60_000

  async function world() {
    const github = new GitHub('key-1')
    const host = await listen(createServer(github.serve))
    onTestFinished(() => host.close())
    const url = `http://127.0.0.1:${host.port}/`
    const start = () => {
      const handler = revokeLeakedKeys(keys, { fetchKeys: githubKeys(url) })
      return async (headers: Record<string, string>) => (await handler(delivery(headers))).status
    }
    /** What a stranger sends: the shape is right, the identifier is invented. */
    const forged = (id: string) => ({
      ...new GitHub('key-1').sign('[]'),
      'github-public-key-identifier': id,
    })
    return { github, start, forged }
  }

  test('is not used up by a stranger who sends one alert a minute', async () => {
    const { github, start, forged } = await world()
    const send = start()
    const statuses = new Set<number>()
    for (let minute = 0; minute < 180; minute += 1) {
      statuses.add(await send(forged(`stranger-${minute}`)))
      vi.advanceTimersByTime(MINUTE_MS)
    }
    expect([...statuses].every((status) => status === 403 || status === 503)).toBe(true)
    expect(github.asked).toBeLessThanOrEqual(3 * 8)
    expect(await start()(github.sign('[]'))).toBe(200)
  })

  test('leaves room for a key that GitHub has made meanwhile, stranger or not', async () => {
    const { github, start, forged } = await world()
    const send = start()
    for (let minute = 0; minute < 30; minute += 1) {
      await send(forged(`stranger-${minute}`))
      vi.advanceTimersByTime(MINUTE_MS)
    }
    github.addKey('key-2')
    const statuses: number[] = []
    while (statuses.at(-1) !== 200 && statuses.length < 60) {
      statuses.push(await send(github.sign('[]', 'key-2')))
      vi.advanceTimersByTime(MINUTE_MS)
    }
    // Put off and not refused, so that GitHub delivers again.
    expect(statuses.filter((status) => status === 403)).toEqual([])
    expect(statuses.at(-1)).toBe(200)
    expect(statuses.length).toBeLessThanOrEqual(30)
  })

  test('is used for requests with the last ETag of the list', async () => {
    const { github, start } = await world()
    const send = start()
    expect(await send(github.sign('[]'))).toBe(200)
    vi.advanceTimersByTime(HOUR_MS)
    expect(await send(github.sign('[]'))).toBe(200)
    expect([github.asked, github.notModified]).toEqual([2, 1])
    github.addKey('key-2')
    vi.advanceTimersByTime(HOUR_MS)
    expect(await send(github.sign('[]', 'key-2'))).toBe(200)
    expect([github.asked, github.notModified]).toEqual([3, 1])
  })

  test('after a failure, waits five seconds at first and five minutes at most', async () => {
    const github = new GitHub('key-1')
    const send = receiver(github)
    github.down = true
    expect(await send('key-1')).toBe(503)
    github.down = false
    expect(await send('key-1')).toBe(503)
    vi.advanceTimersByTime(5_000)
    expect([await send('key-1'), github.asked]).toEqual([200, 2])
    github.down = true
    vi.advanceTimersByTime(HOUR_MS)
    for (let second = 0; second < 3_600; second += 5) {
      expect(await send('key-1')).toBe(503)
      vi.advanceTimersByTime(5_000)
    }
    expect(github.asked).toBeLessThan(2 + 20)
    github.down = false
    vi.advanceTimersByTime(300_000)
    expect(await send('key-1')).toBe(200)
  })

  test.each([
    ['no base64', 'key-1', '!'],
    ['no DER', 'key-1', 'MAA='],
    ['an identifier of 300 characters', 'k'.repeat(300), null],
    ['an identifier with a space in it', 'key 1', null],
  ])('is not touched for a signature that could be nobody’s: %s', async (_, id, signature) => {
    const github = new GitHub('key-1')
    const handler = revokeLeakedKeys(keys, { fetchKeys: github.fetchKeys })
    const good = github.sign('[]')
    const headers = {
      'github-public-key-identifier': id,
      'github-public-key-signature': signature ?? good['github-public-key-signature'] ?? '',
    }
    const call = delivery(headers)
    expect([(await handler(call)).status, github.asked]).toEqual([403, 0])
  })
})

describe('without a function of the host', () => {
  const seen: IncomingMessage[] = []
  const answers = async (status: number, body: string) => {
    const server = createServer((request, response) => {
      seen.push(request)
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    })
    const host = await listen(server)
    onTestFinished(() => host.close())
    return `http://127.0.0.1:${host.port}/meta/public_keys/secret_scanning`
  }

  test('the list is fetched over HTTP, by a name that GitHub asks for', async () => {
    const list = { public_keys: [] }
    const url = await answers(200, JSON.stringify(list))
    expect(await githubKeys(url)()).toEqual(list)
    expect(seen.at(-1)?.headers).toMatchObject({ 'user-agent': 'miftah' })
    expect(seen.at(-1)?.headers.authorization).toBeUndefined()
  })

  test('the list is fetched from GitHub, without a token and for ten seconds at most', async () => {
    const github = new GitHub('key-1')
    const fetch = vi.fn<typeof globalThis.fetch>(async () =>
      Response.json(await github.fetchKeys()),
    )
    vi.stubGlobal('fetch', fetch)
    onTestFinished(() => void vi.unstubAllGlobals())
    const headers = github.sign('[]')
    const call = delivery(headers)
    expect((await revokeLeakedKeys(keys)(call)).status).toBe(200)
    expect(fetch.mock.calls).toEqual([
      [
        'https://api.github.com/meta/public_keys/secret_scanning',
        {
          headers: { accept: 'application/json', 'user-agent': 'miftah' },
          signal: expect.any(AbortSignal),
        },
      ],
    ])
  })

  test.each([
    [403, '{"message":"API rate limit exceeded"}'],
    [500, ''],
    [200, '<html>'],
  ])('%i %j is a failure', async (status, body) => {
    await expect(githubKeys(await answers(status, body))()).rejects.toThrow(
      status === 200 ? SyntaxError : `GitHub answered ${status}.`,
    )
  })
})

const derOf = (headers: Record<string, string>) => [
  ...Buffer.from(headers['github-public-key-signature'] ?? '', 'base64'),
]

function withZero([type = 0, length = 0, int = 0, size = 0, ...rest]: readonly number[]) {
  return [type, length + 1, int, size + 1, 0, ...rest]
}

describe('the signature', () => {
  test('that GitHub’s own documentation gives as an example is good', async () => {
    // https://github.com/github/docs/pull/18776
    const body = '[{"token":"some_token","type":"some_type","url":"some_url"}]'
    const key = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE9MJJHnMfn2+H4xL4YaPDA4RpJqUq
kCmRCBnYERxZanmcpzQSXs1X/AljlKkbJ8qpVIW4clayyef9gWhFbNHWAA==
-----END PUBLIC KEY-----`
    const id = '90a421169f0a406205f1563a953312f0be898d3c7b6c06b681aa86a874555f4a'
    const signature =
      'MEUCIQDKZokqnCjrRtw0tni+2Ltvl/uiMJ1EGumEsp1BsNr32AIgQY1YXD2nlj+XNfGK4rBfkMJ1JDOQcYXxa2sY8FNkrKc='
    const fetchKeys = async () => ({ public_keys: [{ key_identifier: id, key, is_current: true }] })
    const handler = revokeLeakedKeys(keys, { fetchKeys })
    const headers = { 'github-public-key-identifier': id, 'github-public-key-signature': signature }
    const send = async (text: string) => {
      const call = new Request('https://a.example', { method: 'POST', headers, body: text })
      return (await handler(call)).status
    }
    expect(await send(body)).toBe(200)
    expect(await send(body.replace('some_url', 'same_url'))).toBe(403)
  })

  test.each<[string, (der: number[]) => number[], shape?: readonly number[]]>([
    ['as it is', (der) => der],
    ['with a byte behind it', (der) => [...der, 0]],
    [
      'with a byte behind its numbers',
      ([type = 0, length = 0, ...rest]) => [type, length + 1, ...rest, 0],
    ],
    [
      'of another length than it says',
      ([type = 0, length = 0, ...rest]) => [type, length - 1, ...rest],
    ],
    ['of another type', ([, ...rest]) => [0x31, ...rest]],
    ['with a needless zero', withZero, [2, 32]],
    ['with a needless zero before a short number', withZero, [2, 31]],
    ['cut off', (der) => der.slice(0, -1)],
    [
      'with an invalid first number',
      ([type = 0, length = 0, , ...rest]) => [type, length, 3, ...rest],
    ],
    ['with an invalid second number', (der) => der.with(4 + (der[3] ?? 0), 3)],
    [
      'with a negative number',
      ([type = 0, length = 0, int = 0, , , ...rest]) => [type, length - 1, int, 32, ...rest],
      [2, 33, 0, 0x80],
    ],
  ])('%s', async (name, change, shape = [2, 33]) => {
    const github = new GitHub('key-1')
    const handler = revokeLeakedKeys(keys, { fetchKeys: github.fetchKeys })
    let headers = github.sign('[]')
    // Some first numbers have a zero in front, which keeps them positive.
    while (!shape.every((byte, at) => derOf(headers)[at + 2] === byte)) headers = github.sign('[]')
    const der = change(derOf(headers))
    headers['github-public-key-signature'] = Buffer.from(der).toString('base64')
    const call = delivery(headers)
    expect((await handler(call)).status).toBe(name === 'as it is' ? 200 : 403)
  })

  test('is good whatever the lengths of its two numbers', async () => {
    const github = new GitHub('key-1')
    const send = receiver(github)
    const lengths = new Set<number>()
    for (let at = 0; at < 400; at += 1) {
      const body = `[]${' '.repeat(at)}`
      expect(await send('key-1', body)).toBe(200)
      const { 'github-public-key-signature': signature = '' } = github.sign(body)
      lengths.add(Buffer.from(signature, 'base64').length)
    }
    expect(lengths.size).toBeGreaterThan(2)
  })
})

test('a body without an end is refused after 1 MiB', async () => {
  const github = new GitHub('key-1')
  const handler = revokeLeakedKeys(keys, { fetchKeys: github.fetchKeys })
  let sent = 0
  let left = false
  const body = new ReadableStream({
    pull: (controller) => {
      sent += 65_536
      controller.enqueue(new Uint8Array(65_536))
    },
    cancel: () => {
      left = true
    },
  })
  const init = { method: 'POST', headers: github.sign('[]'), body, duplex: 'half' }
  const response = await handler(new Request('https://a.example', init as RequestInit))
  expect([response.status, left]).toEqual([413, true])
  expect(sent).toBeLessThan(2_000_000)
})

describe('the headers of a signature', () => {
  const id = 'github-public-key-identifier'
  const signature = 'github-public-key-signature'

  test.each<[title: string, times: Readonly<Record<string, number>>, status: number]>([
    ['one of each', { [id]: 1, [signature]: 1 }, 200],
    ['none', {}, 403],
    ['no identifier', { [signature]: 1 }, 403],
    ['no signature', { [id]: 1 }, 403],
    ['two identifiers', { [id]: 2, [signature]: 1 }, 403],
    ['two signatures', { [id]: 1, [signature]: 2 }, 403],
  ])('%s: %j is %i, and what is refused for them asks for no key', async (_, times, status) => {
    const github = new GitHub('key-1')
    const receive = createReceiver(keys, { fetchKeys: github.fetchKeys })
    const signed = github.sign('[]')
    const lines = (name: string) =>
      Array.from({ length: times[name] ?? 0 }, () => signed[name] ?? '')
    const answer = await receive({ method: 'POST', lines, body: bytesOf('[]') })
    expect([answer.status, github.asked]).toEqual([status, status === 200 ? 1 : 0])
  })
})

describe('a body', () => {
  const send = async (body: BodyInit | null, signed: string) => {
    const github = new GitHub('key-1')
    const handler = revokeLeakedKeys(keys, { fetchKeys: github.fetchKeys })
    const init = { method: 'POST', headers: github.sign(signed), body, duplex: 'half' }
    const response = await handler(new Request('https://a.example', init as RequestInit))
    return `${response.status} ${(await response.json()).code}`
  }

  test('that is not there is empty, and no JSON', async () => {
    expect(await send(null, '')).toBe('400 bad_request')
    expect(await send(null, '[]')).toBe('403 bad_signature')
  })

  test('that breaks off is the client’s fault', async () => {
    const chunks = ['[', ']']
    const body = new ReadableStream({
      pull: (controller) => {
        const chunk = chunks.shift()
        if (chunk === undefined) controller.error(new Error('the client has left'))
        else controller.enqueue(new TextEncoder().encode(chunk))
      },
    })
    expect(await send(body, '[]')).toBe('400 bad_request')
  })

  test('in pieces is one', async () => {
    const chunks = ['[', ' ', '', ']']
    const body = new ReadableStream({
      pull: (controller) => {
        const chunk = chunks.shift()
        if (chunk === undefined) controller.close()
        else controller.enqueue(new TextEncoder().encode(chunk))
      },
    })
    expect(await send(body, '[ ]')).toBe('200 undefined')
  })
})

test('behind a parser of the host’s the bytes are lost: 500, which is reported', async () => {
  const github = new GitHub('key-1')
  const errors: unknown[] = []
  const app = express()
  app.use(express.json())
  const options = {
    fetchKeys: github.fetchKeys,
    onError: (error: unknown) => void errors.push(error),
  }
  app.use('/github/alerts', inExpress(keys, options))
  const host = await listen(app)
  expect((await deliver(host.port, '[]', github.sign('[]'))).status).toBe(500)
  expect(errors).toMatchObject([{ message: expect.stringContaining('mount it earlier') }])
  await host.close()
})

test('a body that something has read is the host’s fault too', async () => {
  const github = new GitHub('key-1')
  const onError = vi.fn<(error: unknown) => void>()
  const app = express()
  app.use((req, _res, next) => void req.resume().on('end', next))
  app.use('/github/alerts', inExpress(keys, { fetchKeys: github.fetchKeys, onError }))
  const host = await listen(app)
  expect((await deliver(host.port, '[]', github.sign('[]'))).status).toBe(500)
  const message = 'revokeLeakedKeys: the body was read before; mount it earlier.'
  expect(onError.mock.calls).toEqual([[new Error(message)]])
  await host.close()
})

test.each(['onLeak', 'onError', 'fetchKeys'])('option "%s" must be a function', (name) => {
  expect(() => revokeLeakedKeys(keys, { [name]: 'x' })).toThrow(
    new TypeError(`revokeLeakedKeys: option "${name}" must be a function.`),
  )
  expect(() => revokeLeakedKeys(keys, { [name]: undefined })).not.toThrow()
})
