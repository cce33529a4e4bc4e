import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { CallBody } from '../../../../adapters/http/lib/call.ts'
import type { NodeRequest } from '../../../../adapters/http/lib/node/header-lines.ts'
import {
  nodeCall,
  readBody,
  splitTarget,
  streamBody,
} from '../../../../adapters/http/lib/node/to-node.ts'
import { listen } from '../../../support/http/guard-hosts.ts'
import { exchange } from '../../../support/http/raw-client.ts'

/** Requests made by other means than Node's servers (serverless wrappers) may lack what those have. */
const requestOf = (fields: object) => ({ headers: {}, ...fields }) as NodeRequest

describe('the target', () => {
  test.each([
    ['/keys', '/keys', ''],
    ['/keys?limit=1', '/keys', 'limit=1'],
    ['/keys?a?b?c', '/keys', 'a?b?c'],
    ['/keys?', '/keys', ''],
    ['', '', ''],
    ['*', '*', ''],
    ['http://h/keys?limit=1', '/keys', 'limit=1'],
    ['HTTPS://h:8443/keys', '/keys', ''],
    ['a1+.-b://h/keys', '/keys', ''],
    ['http://h?limit=1', '', 'limit=1'],
    ['http:///keys', '/keys', ''],
    ['/http://h/keys', '/http://h/keys', ''],
    ['1http://h/keys', '1http://h/keys', ''],
    ['http:/h/keys', 'http:/h/keys', ''],
    ['://h/keys', '://h/keys', ''],
  ])('%j is the path %j and the query %j', (target, path, query) => {
    expect(splitTarget(target)).toEqual({ path, query })
  })
})

describe('a call', () => {
  const callOf = (fields: object) => nodeCall(requestOf(fields), null)

  test('says what the request says', () => {
    const headers = { host: 'h:1', accept: 'a/b' }
    const call = callOf({ method: 'POST', url: '/api/keys?limit=1', headers })
    expect(call).toMatchObject({ method: 'POST', query: 'limit=1', host: 'h:1' })
    expect(call.lines('accept')).toEqual(['a/b'])
  })

  test('has no method, query or host where the request names none', () => {
    expect(callOf({})).toMatchObject({ method: '', query: '', host: null })
  })

  test('is for the authority of HTTP/2, whatever Host says', () => {
    expect(callOf({ headers: { ':authority': 'h:2' } }).host).toBe('h:2')
    expect(callOf({ headers: { ':authority': 'h:2', host: 'h:1' } }).host).toBe('h:2')
    expect(callOf({ headers: { ':authority': ['h:2', 'h:3'] } }).host).toBe(null)
  })
})

describe('the body', () => {
  const read = async (body: CallBody) => {
    if (body === null || body === 'lost' || 'parsed' in body) return body
    const chunks = []
    for await (const chunk of body.bytes) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
  const left = (body: unknown) => readBody(requestOf({ readableDidRead: true, body }))

  test('is the stream while nobody has read it, whatever else is there', async () => {
    const request = Object.assign(Readable.from([Buffer.from('ab'), Buffer.from('c')]), {
      body: 'other',
    })
    expect(await read(readBody(request as unknown as NodeRequest))).toBe('abc')
  })

  test('is what a parser has left', async () => {
    expect(await read(left('مفتاح'))).toBe('مفتاح')
    expect(await read(left(Buffer.from('مفتاح')))).toBe('مفتاح')
    expect(await read(left({ a: 1 }))).toEqual({ parsed: { a: 1 } })
    expect(await read(left(null))).toEqual({ parsed: null })
  })

  test('can be left before its end: the request keeps its connection, and logs may name it', async () => {
    const leave = async (body: CallBody) => {
      if (body === null || body === 'lost' || 'parsed' in body) return
      for await (const _chunk of body.bytes) return
    }
    const server = createServer((request, response) => {
      leave(streamBody(request)).finally(() => response.end(request.socket?.remoteAddress))
    })
    const host = await listen(server)
    const head = ['POST / HTTP/1.1', 'Host: h', 'Transfer-Encoding: chunked']
    // The last chunk never comes.
    const answer = await exchange(host.port, [...head, '', '1', 'a', ''].join('\r\n'))
    expect([answer.status, answer.body]).toEqual([200, '127.0.0.1'])
    await host.close()
  })

  test('is lost where a reader has left nothing', () => {
    expect(left(undefined)).toBe('lost')
  })
})
