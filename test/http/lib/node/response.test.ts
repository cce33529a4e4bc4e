import { createServer, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { keepVary, watchVary, writeAnswer } from '../../../../adapters/http/lib/node/response.ts'
import { listen } from '../../../support/http/guard-hosts.ts'
import { headerOf } from '../../../support/http/raw-client.ts'
import { get } from '../../../support/http/requests.ts'

/** What a client sees of a response that a handler has written behind a guard. */
async function seen(handler: (response: ServerResponse) => void, keep = keepVary) {
  const thrown: unknown[] = []
  const server = createServer((_request, response) => {
    try {
      keep(response)
      handler(response)
    } catch (error) {
      thrown.push(error)
    }
    response.end()
  })
  const host = await listen(server)
  const response = await get(host.port, '/')
  await host.close()
  expect(thrown).toEqual([])
  const names = new Set(response.lines.map(([name]) => name))
  for (const name of OF_NODE) names.delete(name)
  return Object.assign((name: string) => headerOf(response, name), { names: [...names].sort() })
}

/** Headers that Node adds itself. */
const OF_NODE = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']

type Headers = OutgoingHttpHeaders | string[] | null

describe('a head that a handler writes', () => {
  const pairs = (...list: [string, string | string[]][]) => list as unknown as string[]

  test.each<[title: string, headers: Headers | undefined, vary: string]>([
    ['nothing', undefined, 'Authorization'],
    ['null', null, 'Authorization'],
    ['an empty object', {}, 'Authorization'],
    ['an object without it', { 'X-A': '1', Link: '<x>' }, 'Authorization'],
    ['an object with it', { 'X-A': '1', Vary: 'Accept' }, 'Accept, Authorization'],
    ['another case of letters', { 'X-A': '1', vARY: 'Accept' }, 'Accept, Authorization'],
    ['lower case', { 'X-A': '1', vary: 'Accept' }, 'Accept, Authorization'],
    ['the same', { 'X-A': '1', vary: 'Authorization' }, 'Authorization'],
    ['all', { 'X-A': '1', vary: '*' }, '*'],
    ['two values', { 'X-A': '1', Vary: ['Accept', 'Origin'] }, 'Accept, Origin, Authorization'],
    ['an empty list', [], 'Authorization'],
    ['a list without it', ['X-A', '1'], 'Authorization'],
    ['a list with it', ['X-A', '1', 'Vary', 'Accept'], 'Accept, Authorization'],
    ['a list with it twice', ['Vary', 'A', 'X-A', '1', 'Vary', 'B'], 'A, B, Authorization'],
    ['pairs without it', pairs(['X-A', '1']), 'Authorization'],
    ['pairs with it', pairs(['X-A', '1'], ['Vary', 'Accept']), 'Accept, Authorization'],
    ['pairs with it twice', pairs(['Vary', 'A'], ['Vary', 'B']), 'A, B, Authorization'],
  ])('with %s varies still', async (_title, headers, vary) => {
    for (const phrase of [[], ['Fine']]) {
      const args = headers === undefined ? phrase : [...phrase, headers]
      const header = await seen((response) => {
        Reflect.apply(response.writeHead, response, [200, ...args])
      })
      expect(header('vary')).toEqual([vary])
      const others = ['Link', 'X-A'].filter((name) => JSON.stringify(args).includes(name))
      expect(header.names).toEqual([...others.map((name) => name.toLowerCase()), 'vary'].sort())
      expect(header('x-a')).toEqual(others.includes('X-A') ? ['1'] : [])
    }
  })

  test.each<[title: string, headers: Headers]>([
    ['object', { 'Set-Cookie': ['a=1', 'b=2', 'c=3'], Vary: 'A' }],
    ['list', ['Set-Cookie', 'a=1', 'Vary', 'A', 'Set-Cookie', 'b=2', 'Set-Cookie', 'c=3']],
    ['list of pairs', pairs(['Set-Cookie', ['a=1', 'b=2']], ['Set-Cookie', 'c=3'], ['Vary', 'A'])],
  ])('loses no line of an %s', async (_title, headers) => {
    const header = await seen((response) => response.writeHead(200, headers as string[]))
    expect(header.names).toEqual(['set-cookie', 'vary'])
    expect(header('set-cookie')).toEqual(['a=1', 'b=2', 'c=3'])
    expect(header('vary')).toEqual(['A, Authorization'])
  })

  test('replaces what was set before, but for what it varies on', async () => {
    const header = await seen((response) => {
      response.setHeader('X-A', '1')
      response.setHeader('Vary', 'Origin')
      response.writeHead(200, { 'X-A': '2' })
    })
    expect(header('x-a')).toEqual(['2'])
    expect(header('vary')).toEqual(['Origin, Authorization'])
  })

  test('varies where all headers were removed', async () => {
    const clear = (response: ServerResponse) => {
      for (const name of response.getHeaderNames()) response.removeHeader(name)
    }
    expect((await seen(clear))('vary')).toEqual(['Authorization'])
    const written = await seen((response) => {
      clear(response)
      response.writeHead(200, { 'X-A': '1' })
    })
    expect(written('vary')).toEqual(['Authorization'])
  })

  test('is the status and the phrase that were given, and the response comes back', async () => {
    let given: unknown
    let response: ServerResponse | undefined
    await seen((outgoing) => {
      response = outgoing
      given = outgoing.writeHead(204, 'Nothing', { Vary: 'Accept' })
    })
    expect(given).toBe(response)
    expect([response?.statusCode, response?.statusMessage]).toEqual([204, 'Nothing'])
  })

  test('is watched once, by however many guards', async () => {
    let times = 0
    const header = await seen(
      (response) => response.writeHead(200, { 'X-A': '1' }),
      (response) => {
        const { writeHead } = response
        response.writeHead = (...args: unknown[]) => {
          times += 1
          return Reflect.apply(writeHead, response, args)
        }
        for (const keep of [keepVary, keepVary, watchVary]) keep(response)
      },
    )
    expect([header('vary'), header('x-a'), times]).toEqual([['Authorization'], ['1'], 1])
  })
})

test('an answer keeps what the response varies on already, and replaces the rest', async () => {
  const answer = {
    status: 200,
    headers: { vary: 'Authorization', 'cache-control': 'no-store' },
    body: '',
  }
  const header = await seen(
    (response) => writeAnswer(response, answer),
    (response) => {
      response.setHeader('Vary', ['Origin', 'Accept'])
      response.setHeader('Cache-Control', 'public')
    },
  )
  expect(header('vary')).toEqual(['Origin, Accept, Authorization'])
  expect(header('cache-control')).toEqual(['no-store'])
})
